"""Drives the files of google-genai: sends one in pieces, reads, lists and names it in a call, and deletes it."""

import base64
import hashlib
import io

from driving import drive

# More than the 8 MiB of one piece.
CONTENT = bytes(at * 7919 % 256 for at in range(9 * 1024 * 1024))


def files(job):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key=job["key"], http_options=types.HttpOptions(base_url=job["url"]))
    config = {"mime_type": "text/plain", "display_name": "Übersicht – März"}
    sent = client.files.upload(file=io.BytesIO(CONTENT), config=config)
    read = client.files.get(name=sent.name)
    listed = [file.name for file in client.files.list()]
    answer = client.models.generate_content(model=job["model"], contents=["What is this?", sent])
    client.files.delete(name=sent.name)
    return {
        "text": answer.text,
        "file": {
            "name": read.display_name,
            "bytes": read.size_bytes,
            "isWhole": sent.sha256_hash == base64.b64encode(hashlib.sha256(CONTENT).digest()).decode(),
            "isListed": listed == [sent.name],
            "isGone": list(client.files.list()) == [],
        },
    }


drive({"google-genai": files})
