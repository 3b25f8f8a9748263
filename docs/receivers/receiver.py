# Receives webhooks of formhost and stores each in a file, once:
#   pip install standardwebhooks
#   WEBHOOK_SECRET=whsec_… python3 receiver.py
import os
import re
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

MAX_BYTES = 4 * 1024 * 1024
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
folder = Path(os.environ.get("FOLDER", "deliveries"))
folder.mkdir(parents=True, exist_ok=True)


def store(id: str, body: bytes) -> bool:
    """Stores a delivery; False when it is there already. After a crash there is all of it, or nothing."""
    incomplete = folder / f".{uuid.uuid4()}"
    with open(incomplete, "xb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(incomplete, folder / f"{id}.json")
        return True
    except FileExistsError:
        return False
    finally:
        incomplete.unlink()


class Receiver(BaseHTTPRequestHandler):
    timeout = 20  # seconds that a client may be silent

    def receive(self) -> int:
        """Stores what is genuine, and says with which status to answer."""
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,10}", length):
            return 411
        if int(length) > MAX_BYTES:
            return 413
        # The bytes as they came: the signature is about them.
        body = self.rfile.read(int(length))
        try:
            # Also refuses a timestamp that is more than five minutes away.
            webhook.verify(body, dict(self.headers.items()), json_parse=False)
        except (WebhookVerificationError, ValueError):
            return 401
        id = self.headers["webhook-id"]
        if not re.fullmatch(r"[\w-]+", id, re.ASCII):
            return 400
        # The same id is the same delivery, sent again because an answer was lost: it gets the same answer.
        if store(id, body):
            print("received", id, flush=True)
        return 204

    def do_POST(self) -> None:
        self.send_response(self.receive())
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


# What takes long is done after the answer: by a program that reads the folder.
server = ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080"))), Receiver)
print("listening", flush=True)
server.serve_forever()
