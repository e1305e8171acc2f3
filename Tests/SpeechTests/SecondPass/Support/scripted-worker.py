#!/usr/bin/python3
"""A worker that does what the first sample of each utterance says: answer, or one of the ways in which a worker can fail.

Started as the program itself would be, with --second-pass-worker, it answers every utterance with a sentence that depends on its
samples alone, or, where its model is called "numbered", with one that says how many it was asked before. It refuses a model that is
a file with the word "damaged". Where a file beside it has its name with ".answer" behind it, it answers with the message that the
expression there makes for the identifier i, n samples and the vocabulary, and dies of a sample of 30000. Started with "once", only
the first of the workers with the same model fails, which leaves a file at the model's path.
"""
import array
import binascii
import json
import os
import signal
import socket
import struct
import sys
import zlib

model = ""
vocabulary = []
connection = socket.socket(fileno=0)
requests = connection.makefile("rb")


def message(content):
    data = json.dumps({"version": 10, "message": content}).encode()
    return struct.pack("<I", len(data)) + data


def result(identifier, string, segments=()):
    pieces = [{"text": text, "time": [start, end]} for text, start, end in segments]
    return message({"result": {"_0": identifier, "_1": {"text": string, "words": [], "segments": pieces, "isRough": False}}})


def is_damaged(path):
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(8) == b"damaged"


def failure(identifier, kind):
    return message({"failure": {"_0": identifier, "_1": {"kind": kind, "sentence": "it does not work"}}})


def is_first():
    try:
        os.close(os.open(model, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def receive():
    head = requests.read(4)
    if len(head) < 4:
        sys.exit(0)
    return json.loads(requests.read(struct.unpack("<I", head)[0]))["message"]


while True:
    request = receive()
    if "load" in request:
        model = request["load"]["_0"]["model"]
        vocabulary = request["load"]["_0"]["vocabulary"]
        if sys.argv[1:] == ["refuse"] or is_damaged(model):
            connection.sendall(failure(0, "model"))
        else:
            connection.sendall(message({"ready": {}}))
        continue
    if "decode" not in request:
        continue
    identifier = request["decode"]["_0"]
    samples = binascii.a2b_base64(request["decode"]["_1"]["bytes"])
    count = len(samples) // 2
    if os.path.isfile(sys.argv[0] + ".answer"):
        if 30000 in array.array("h", samples):
            os.kill(os.getpid(), signal.SIGKILL)
        with open(sys.argv[0] + ".answer") as file:
            connection.sendall(eval(file.read().strip(), {"result": result, "i": identifier, "n": count, "vocabulary": vocabulary}))
        continue
    if sys.argv[1:2] == ["--second-pass-worker"]:
        name = identifier if model == "numbered" else f"{zlib.adler32(samples):08x}"
        connection.sendall(result(identifier, f"Sentence {name}, of {count} samples."))
        continue
    order = struct.unpack("<h", samples[:2])[0] if count else 0
    answer = result(identifier, f"utterance of {count} samples")
    if order and sys.argv[1:] == ["once"] and not is_first():
        order = 0
    if order == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    elif order == 2:
        # Stopped as by a debugger; nothing but SIGKILL or SIGCONT reaches it.
        os.kill(os.getpid(), signal.SIGSTOP)
    elif order == 3:
        connection.sendall(b"no message at all")
    elif order == 4:
        connection.sendall(answer[: len(answer) // 2])
        sys.exit(0)
    elif order == 5:
        sys.exit(3)
    elif order == 6:
        connection.sendall(failure(identifier, "repetition"))
    elif order == 7:
        connection.sendall(answer + answer)
    elif order == 8:
        connection.sendall(result(identifier + 1, "of another"))
    elif order == 9:
        # It has gone for the session, and goes on.
        connection.shutdown(socket.SHUT_RDWR)
        signal.pause()
    elif order == 10:
        # The memory runs out, by a limit.
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
        bytearray(1 << 30)
    elif order == 11:
        # The model is damaged, and the worker does not survive it.
        with open(model, "w") as file:
            file.write("damaged")
        os.kill(os.getpid(), signal.SIGBUS)
    elif order == 12:
        # The order and what follows it say which bytes are others.
        import random
        chance = random.Random(samples)
        damaged = bytearray(answer)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        connection.sendall(damaged)
    elif order == 13:
        # Stopped until somebody lets it go on; then it answers.
        os.kill(os.getpid(), signal.SIGSTOP)
        connection.sendall(answer)
    else:
        connection.sendall(answer)
