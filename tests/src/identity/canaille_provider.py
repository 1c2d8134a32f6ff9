"""
The identity server canaille with people, groups and one client, all in memory. Its settings are the JSON in the first argument; it prints
its address. Each line of its input is a JSON object that changes it and is answered by a line; it ends with its input.
"""

import json
import logging
import sys
import threading

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import RSAKey
from werkzeug.serving import WSGIRequestHandler, make_server


def new_key(kid):
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"}).as_dict(private=True)


class QuietHandler(WSGIRequestHandler):
    def log(self, *_):
        pass


def set_groups(groups, people):
    """A group without members is none: canaille wants at least one."""
    for group in Backend.instance.query(models.Group):
        Backend.instance.delete(group)
    for name, members in groups.items():
        if members:
            group = models.Group(display_name=name, members=[people[member] for member in members])
            Backend.instance.save(group)


def main():
    settings = json.loads(sys.argv[1])
    logging.disable(logging.CRITICAL)
    app = create_app(
        {
            "SECRET_KEY": "a secret of a test, long enough for canaille",
            "PREFERRED_URL_SCHEME": "http",
            "SESSION_COOKIE_SECURE": False,
            "CANAILLE_OIDC": {"ACTIVE_JWKS": [new_key("first")]},
        }
    )
    people = {}
    with app.app_context():
        for person in settings["people"]:
            user = models.User(
                user_name=person["name"],
                display_name=person["name"],
                formatted_name=person["full_name"],
                family_name=person["full_name"],
                emails=[person["email"]],
                password=settings["password"],
            )
            Backend.instance.save(user)
            people[person["name"]] = user
        client = models.Client(
            client_id=settings["client_id"],
            client_secret=settings["client_secret"],
            client_name="Tollgate",
            redirect_uris=settings["redirect_uris"],
            post_logout_redirect_uris=settings["post_logout_redirect_uris"],
            grant_types=["authorization_code"],
            response_types=["code"],
            scope=["openid", "profile", "email", "groups"],
            token_endpoint_auth_method="client_secret_basic",
        )
        Backend.instance.save(client)
        client.audience = [client]
        Backend.instance.save(client)

    server = make_server("127.0.0.1", settings["port"], app, threaded=True, request_handler=QuietHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    for line in sys.stdin:
        change = json.loads(line)
        with app.app_context():
            if "groups" in change:
                set_groups(change["groups"], people)
            if "kid" in change:
                app.config["CANAILLE_OIDC"]["ACTIVE_JWKS"] = [new_key(change["kid"])]
        print("done", flush=True)


main()
