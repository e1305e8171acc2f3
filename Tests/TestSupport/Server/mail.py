"""A mail server. Prints its port, then every message that it takes as a line of JSON. To a recipient that begins with
"refuse" it says no for good, to one that begins with "later" for now."""
import json
import os
import socketserver
import sys
import threading


class Handler(socketserver.StreamRequestHandler):
    def say(self, line):
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self):
        self.say("220 test")
        recipients = []
        while line := self.rfile.readline():
            words = line.decode().strip()
            verb = words.upper()
            if verb.startswith(("EHLO", "HELO")):
                self.say("250 test")
            elif verb.startswith("RCPT TO:"):
                address = words[8:].strip("<> ")
                if address.startswith("refuse"):
                    self.say("550 5.1.1 nobody here")
                elif address.startswith("later"):
                    self.say("451 4.3.0 come again")
                else:
                    recipients.append(address)
                    self.say("250 ok")
            elif verb == "DATA":
                self.say("354 go on")
                lines = []
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(line[1:] if line.startswith(b".") else line)
                print(json.dumps({"to": recipients, "message": b"".join(lines).decode()}), flush=True)
                self.say("250 ok")
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
# It ends with the test that holds its standard input.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
