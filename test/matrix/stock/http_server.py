# Python's http.server.
import json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from merchant import effects, failing, handle_once, is_genuine


class Handler(BaseHTTPRequestHandler):
    def answer(self, status, value=None):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_POST(self):
        body = self.body()
        if not is_genuine(self.headers, body):
            return self.answer(401)
        try:
            handle_once(json.loads(body))
        except Exception:
            return self.answer(500)
        self.answer(204)

    def do_GET(self):
        self.answer(200, effects())

    def do_PUT(self):
        failing.update(json.loads(self.body()))
        self.answer(204)


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
