"""A real HTTP server on loopback for the tests, as bad as servers are.

    server.py FOLDER

It prints its port, then a line for each request: METHOD PATH range=… if-range=…. The first parts of a path say how to behave,
the last names a file in FOLDER:

    /plain/FILE           ranges, a strong tag
    /weak/FILE            ranges, a weak tag
    /untagged/FILE        ranges, no tag
    /cut/N/FILE           breaks off after N bytes of the body, each time; also weak-cut, untagged-cut, norange-cut
    /hold/N/FILE          sends up to byte N of the file, prints "held", and waits for the client to go away
    /hold-once/N/FILE     the same, in the first answer
    /norange/FILE         never heard of ranges
    /changing/FILE        another tag each time
    /wrong-range/FILE     answers with another range than was asked for; /wrong-range-cut/N/FILE breaks off as well
    /wrong-total/FILE     answers with another total than the file has
    /long/N/FILE          says that there are N bytes more than there are
    /short/N/FILE         says that there are N bytes fewer
    /unsized/FILE         says no length; ends by closing; /unsized/N/FILE after N bytes
    /corrupt/N/FILE       byte N is another
    /corrupt-once/N/FILE  the same, in the first answer
    /redirect/CODE/…      to the rest of the path
    /other-host/CODE/…    to the rest of the path on a host of another name, which is this one
    /hub/…                the same, and says the SHA-256 of the file as a hub does; /wrong-hub/… says another
    /digest/FILE          says its SHA-256 in Repr-Digest; also old-digest, in Digest; wrong-digest says another
    /loop                 to itself
    /status/CODE          that status
    /page                 a web page, as a network gives that wants a login
    /page-as-zip          the same, called a zip archive
    /stall                a head, and then nothing
    /silent               not even that
    /garbage              no HTTP
"""

import base64
import hashlib
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]
lock = threading.Lock()
counts = {}


def say(text):
    with lock:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def wait_for_client(self):
        try:
            while self.connection.recv(4096):
                pass
        except OSError:
            pass

    def cut(self):
        self.wfile.flush()
        self.close_connection = True

    def body(self, status, data, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        say(f"GET {self.path} range={self.headers.get('Range')} if-range={self.headers.get('If-Range')}")
        try:
            # As a proxy it is asked for whole addresses.
            path = self.path.split("://", 1)[-1].split("/", 1)[1] if "://" in self.path else self.path
            self.answer(path.strip("/").split("/"))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_CONNECT(self):
        # As a proxy it refuses with the status that is in the host's name: refuse-403.example.
        status = int(self.path.split("-")[1].split(".")[0])
        say(f"CONNECT {self.path}")
        self.body(status, b"<html>no</html>", "text/html")
        self.close_connection = True

    def answer(self, parts):
        mode = parts[0]
        number = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
        if mode == "redirect":
            self.send_response(number)
            self.send_header("Location", "/" + "/".join(parts[2:]))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif mode in ("other-host", "hub", "wrong-hub"):
            rest = parts[2:] if mode == "other-host" else parts[1:]
            self.send_response(number or 302)
            self.send_header("Location", f"http://localhost:{server.server_address[1]}/" + "/".join(rest))
            if mode.endswith("hub"):
                with open(os.path.join(folder, parts[-1]), "rb") as file:
                    self.send_header("X-Linked-ETag", '"' + self.digest(mode, file.read()).hex() + '"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif mode == "loop":
            self.send_response(302)
            self.send_header("Location", "/loop")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif mode == "status":
            self.body(number, b"<html>no</html>", "text/html")
        elif mode == "page":
            self.body(200, b"<!DOCTYPE html><html>please log in</html>", "text/html; charset=utf-8")
        elif mode == "page-as-zip":
            self.body(200, b"\n <html>please log in</html>", "application/zip")
        elif mode == "stall":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.flush()
            self.wait_for_client()
        elif mode == "silent":
            self.wait_for_client()
        elif mode == "garbage":
            self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
            self.close_connection = True
        else:
            self.file(mode, number, parts[-1])

    def digest(self, mode, data):
        return hashlib.sha256(data if not mode.startswith("wrong") else b"another").digest()

    def file(self, mode, number, name):
        try:
            with open(os.path.join(folder, name), "rb") as file:
                data = bytearray(file.read())
        except OSError:
            return self.body(404, b"<html>not here</html>", "text/html")
        with lock:
            count = counts[self.path] = counts.get(self.path, 0) + 1
        if mode == "corrupt" or mode == "corrupt-once" and count == 1:
            data[number] ^= 0x55
        tag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
        if mode == "changing":
            tag = f'"{count}"'
        if mode.startswith("weak"):
            tag = "W/" + tag

        start = 0
        wanted = self.headers.get("Range")
        condition = self.headers.get("If-Range")
        if wanted and not mode.startswith("norange") and (condition is None or condition == tag):
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(data):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(data)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            shown = start + (7 if mode.startswith("wrong-range") else 0)
            total = len(data) + (9 if mode == "wrong-total" else 0)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {shown}-{total - 1}/{total}")
        else:
            self.send_response(200)
        rest = bytes(data[start:])
        length = len(rest) + (number if mode == "long" else -number if mode == "short" else 0)
        if mode != "unsized":
            self.send_header("Content-Length", str(length))
        else:
            self.close_connection = True
            rest = rest[:number] if number else rest
        if not mode.startswith(("untagged", "norange")):
            self.send_header("ETag", tag)
        if mode.endswith("digest"):
            text = base64.b64encode(self.digest(mode, data)).decode()
            header = ("Digest", f"sha-256={text}") if mode.startswith("old") else ("Repr-Digest", f"sha-512=:AAAA:, sha-256=:{text}:")
            self.send_header(*header)
        self.send_header("Content-Type", "application/zip")
        self.end_headers()
        if mode.endswith("cut"):
            self.wfile.write(rest[:number])
            return self.cut()
        if mode == "hold" or mode == "hold-once" and count == 1:
            self.wfile.write(rest[: max(0, number - start)])
            self.wfile.flush()
            say(f"held {number}")
            self.wait_for_client()
            self.close_connection = True
            return
        self.wfile.write(rest[:length] if mode == "short" else rest)
        if mode == "long":
            self.cut()


class Server(ThreadingHTTPServer):
    def handle_error(self, *arguments):
        pass  # Clients are killed here all the time.


server = Server(("127.0.0.1", 0), Handler)
server.daemon_threads = True
say(f"port {server.server_address[1]}")


def follow_test():
    """Repeats what the test writes, by which it knows that it has read all before. Ends with the test, however that ends."""
    for line in sys.stdin:
        say(line.rstrip("\n"))
    os._exit(0)


threading.Thread(target=follow_test, daemon=True).start()
server.serve_forever()
