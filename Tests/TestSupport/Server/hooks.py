"""Web hooks, and the proxies before them, that fail at a chosen moment of a connection.

    hooks.py FOLDER

FOLDER holds `cells`, a JSON list of objects; each gets a port of its own, which plays the web hook and the proxy before it:

    name     for the list of ports
    route    http, https: the web hook itself; http-proxy, https-proxy: a proxy, and what it leads to
    moment   where it goes wrong once: connected, tunnel-request, tunnel-answer, handshake, request, answer-head,
             answer-body; none for nowhere; random for some connections of a client whose name at the proxy is `flaky`
    harm     reset, hang
    refusal  the status with which the proxy refuses; 407 unless the client is `me:s3cret`; 0 for none
    answer   the web hook's status; 0: it closes without a word; key: keeps what it gets in the folder that the path names, once for
             each key, and answers 201, or 409 where it knows the key
    then     the status for every request after the first, or after something went wrong

It prints a port, then all as {"name": port}. Into FOLDER/reached goes a line NAME before something goes wrong. The
certificate that signs itself is FOLDER/certificate."""
import base64
import json
import os
import random
import selectors
import socket
import ssl
import subprocess
import sys
import threading
import urllib.parse

folder = sys.argv[1]
certificate, key = folder + "/certificate", folder + "/key"
lock = threading.Lock()
known = set()
# The cells in which the first request has come, or something went wrong.
begun, harmed = set(), set()
dice = random.Random(int(os.environ.get("UTTER_SEED", "1")))


class Over(Exception):
    """The connection has ended, by us or by the client."""


def note(file, line):
    with lock, open(f"{folder}/{file}", "a") as notes:
        notes.write(line + "\n")


class Connection:
    def __init__(self, cell, sock):
        self.cell, self.sock, self.rest, self.user = cell, sock, b"", ""
        self.moment, self.harm = cell.get("moment"), cell.get("harm")

    def at(self, moment):
        if moment == self.moment and (self.cell["name"] not in harmed or self.cell["moment"] == "random"):
            begun.add(self.cell["name"])
            harmed.add(self.cell["name"])
            note("reached", self.cell["name"])
            if self.harm == "hang":
                self.wait_for_client()
            self.reset()

    def wait_for_client(self):
        try:
            while self.sock.recv(4096):
                pass
        except OSError:
            pass
        raise Over

    def reset(self):
        # Whatever wraps it: the socket itself ends without a farewell.
        plain = socket.socket(fileno=self.sock.detach())
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        plain.close()
        raise Over

    def head(self):
        while b"\r\n\r\n" not in self.rest:
            self.take()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
        return lines[0].split(" "), fields

    def take(self):
        more = self.sock.recv(65536)
        if not more:
            raise Over
        self.rest += more

    def body(self, fields):
        while len(self.rest) < int(fields["content-length"]):
            self.take()
        return self.rest.decode()

    def refuses(self, fields):
        given = fields.get("proxy-authorization", "Basic ").split(" ")[1]
        given = base64.b64decode(given).decode()
        self.user = given.split(":")[0]
        refusal = self.cell.get("refusal", 0)
        return 0 if refusal == 407 and given == "me:s3cret" else refusal

    def refuse(self, status):
        self.sock.sendall(f"HTTP/1.1 {status} No\r\nContent-Length: 2\r\n\r\nno".encode())
        raise Over

    def run(self):
        route = self.cell["route"]
        self.at("connected")
        if route == "https-proxy":
            _, fields = self.head()
            self.at("tunnel-request")
            if status := self.refuses(fields):
                self.refuse(status)
            if self.moment == "random" and self.user == "flaky":
                with lock:
                    self.moment, self.harm = dice.choice(["tunnel-answer", "handshake", "request", None, None, None]), "reset"
            self.sock.sendall(b"HTTP/1.1 200 Connection established\r\n")
            self.at("tunnel-answer")
            self.sock.sendall(b"\r\n")
        if route.startswith("https"):
            # It has something to say, but it isn't heard yet.
            self.sock.recv(1, socket.MSG_PEEK)
            self.at("handshake")
            self.sock = context.wrap_socket(self.sock, server_side=True)
        line, fields = self.head()
        if route == "http-proxy" and (status := self.refuses(fields)):
            self.refuse(status)
        body = self.body(fields)
        status = self.cell.get("then" if self.cell["name"] in begun else "answer", self.cell["answer"])
        begun.add(self.cell["name"])
        if status == "key":
            status = self.keep(line[1], fields["idempotency-key"], body)
        self.at("request")
        if status == 0:
            raise Over
        location = "Location: http://127.0.0.1:1/\r\n" if status == 301 else ""
        self.sock.sendall(f"HTTP/1.1 {status} So\r\n{location}X-Half: half\r\n".encode())
        self.at("answer-head")
        if status == 204:
            self.sock.sendall(b"\r\n")
            self.at("answer-body")
        else:
            self.sock.sendall(b"Content-Length: 10\r\n\r\n01234")
            self.at("answer-body")
            self.sock.sendall(b"56789")

    def keep(self, path, key, body):
        place = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
        with lock:
            if key in known:
                return 409
            with open(place + "/effects", "a") as effects:
                effects.write(f"{key} {json.loads(body)['text']}\n")
            known.add(key)
        return 201

    def start(self):
        try:
            self.run()
        except (Over, OSError, ValueError):
            pass
        try:
            if isinstance(self.sock, ssl.SSLSocket):
                self.sock.unwrap()
        except (OSError, ValueError):
            pass
        self.sock.close()


subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30", "-subj", "/CN=hook.test",
     "-addext", "subjectAltName=IP:127.0.0.1,DNS:hook.test", "-keyout", key, "-out", certificate],
    check=True, stderr=subprocess.DEVNULL)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)

selector = selectors.DefaultSelector()
ports = {}
for cell in json.load(open(folder + "/cells")):
    listener = socket.create_server(("127.0.0.1", 0), backlog=20)
    selector.register(listener, selectors.EVENT_READ, cell)
    ports[cell["name"]] = listener.getsockname()[1]
print(next(iter(ports.values())), flush=True)
print(json.dumps(ports), flush=True)
# It ends with the test that holds its standard input.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    for ready, _ in selector.select():
        sock, _ = ready.fileobj.accept()
        threading.Thread(target=Connection(ready.data, sock).start, daemon=True).start()
