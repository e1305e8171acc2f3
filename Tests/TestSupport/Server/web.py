"""A web server that fails, stalls, repeats and throttles, by the path it is asked for. Prints its port, then every request
as a line of JSON."""
import base64
import http.server
import json
import os
import socket
import sys
import threading



class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        print(json.dumps({"method": self.command, "path": self.path, "headers": headers, "body": body}), flush=True)
        path, _, query = self.path.partition("?")
        if path == "/ok":
            self.answer(200)
        elif path == "/throttle":
            self.answer(429, Retry_After="7")
        elif path == "/later":
            self.answer(503, Retry_After="Wed, 21 Oct 2099 07:28:00 GMT")
        elif path == "/redirect":
            self.answer(int(query.split(",")[0]), Location=query.split(",")[1])
        elif path in ("/raw", "/raw-stall"):
            # Whatever bytes one likes; whoever stalls says no more, and keeps the connection.
            self.wfile.write(base64.urlsafe_b64decode(query))
            self.close_connection = True
            if path == "/raw-stall":
                self.rfile.read(1)
        elif path == "/stall":
            self.rfile.read(1)
        elif path == "/close":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif path == "/half":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
        elif path == "/large":
            self.send_response(200)
            self.send_header("Content-Length", "100000000")
            self.end_headers()
            try:
                for _ in range(1000):
                    self.wfile.write(b"x" * 100000)
            except OSError:
                self.close_connection = True
        elif path == "/flood":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                self.close_connection = True
        else:
            self.answer(int(path[1:]))


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
# It ends with the test that holds its standard input.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
