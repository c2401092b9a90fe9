# Flask and its own server.
import json, os
from flask import Flask, abort, jsonify, request
from merchant import effects, failing, handle_once, is_genuine

app = Flask(__name__)


@app.post("/webhooks")
def receive():
    if not is_genuine(request.headers, request.get_data()):
        abort(401)
    handle_once(json.loads(request.get_data()))
    return "", 204


@app.get("/effects")
def list_effects():
    return jsonify(effects())


@app.put("/effects")
def fail_next():
    failing.update(request.get_json())
    return "", 204


app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
