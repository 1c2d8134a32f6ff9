"""A round of operations by the client that openapi-python-client generated: each request is built
from a model of the document and each reply is read into one. Prints the operations as JSON."""

import inspect
import json
import os
import sys
import typing
from importlib import import_module

sys.path.insert(0, sys.argv[1])
from gate_client import AuthenticatedClient  # noqa: E402

site = os.environ["TOLLGATE_URL"]
client = AuthenticatedClient(base_url=site, token=os.environ["TOLLGATE_KEY"])
done = []


def ask(operation, body=None, through=client, **parameters):
    """Throws for a refusal, and for a reply that is not as the document says."""
    module = import_module(f"gate_client.api.{operation}")
    call = module.sync_detailed
    if body is not None:
        hint = typing.get_type_hints(call)["body"]
        models = [one for one in (typing.get_args(hint) or (hint,)) if hasattr(one, "from_dict")]
        parameters["body"] = models[0].from_dict(body)
    reply = call(client=through, **parameters)
    name = operation.split(".")[1]
    if reply.status_code != 200 or type(reply.parsed).__name__ in ("Failure", "NoneType"):
        raise SystemExit(f"{name}: {reply.status_code} {reply.content[:500]!r}")
    done.append(name)
    found = reply.parsed.to_dict()
    return found.get("data", found)


ask("status.get_status")

channel = ask(
    "channels.create_channel",
    {
        "name": "by python",
        "type": 1,
        "key": "sim-ok",
        "base_url": os.environ["SIMULATOR_URL"],
        "group": "default",
        "models": "python-model",
        "model_configs": '{"python-model":{"ratio":1,"completion_ratio":4}}',
    },
)[0]
ask("channels.list_channels")
ask("channels.get_channel", id=channel["id"])
ask("channels.update_channel", {"id": channel["id"], "priority": 5})
ask("channels.search_channels", keyword="by python")
ask("channels.test_channel", id=channel["id"])
ask("channels.get_channel_metadata", type_=1)

person = {"username": "pythonist", "password": "a password of python", "quota": 0}
user = ask("users.create_user", person)
ask("users.list_users")
ask("users.get_user", id=user["id"])
ask("users.update_user", {"id": user["id"], "display_name": "A Pythonist"})
ask("users.search_users", keyword="pythonist")
ask("users.list_groups")

unlimited = {"name": "by python", "unlimited_quota": True, "expired_time": -1}
token = ask("tokens.create_token", unlimited)
ask("tokens.list_tokens")
ask("tokens.get_token", id=token["id"])
ask("tokens.update_token", {"id": token["id"], "name": "by python too"})
ask("tokens.search_tokens", keyword="python")
ask("budgets.set_spending_limit", {"amount": 500000, "window": "day"}, id=token["id"])

caller = AuthenticatedClient(base_url=site, token=token["key"])
answer = ask(
    "client_api.chat_completions",
    {"model": "python-model", "messages": [{"role": "user", "content": "one two, nine"}]},
    through=caller,
)
ask("client_api.list_models", through=caller)

ask("logs.list_own_logs")
ask("logs.get_own_log_stat")
ask("logs.list_logs")
ask("dashboard.get_dashboard")

budget = ask(
    "budgets.create_budget",
    {
        "name": "of python",
        "subject": "user",
        "subject_id": user["id"],
        "window": "day",
        "amount": 1000,
    },
)
ask("budgets.list_budgets")
ask("budgets.get_budget", id=budget["id"])
ask("budgets.update_budget", {"id": budget["id"], "amount": 2000})
ask("budgets.delete_budget", id=budget["id"])

code = ask("redemptions.create_redemptions", {"name": "python", "quota": 100, "count": 1})
ask("redemptions.list_redemptions")
ask("redemptions.search_redemptions", keyword="python")

ask("models.list_model_prices")
ask("alerts.list_alerts")
ask("virtual_models.list_virtual_models")

ask("tokens.delete_token", id=token["id"])
ask("users.delete_user", id=user["id"])
ask("channels.delete_channel", id=channel["id"])

print(json.dumps({"operations": done, "answer": answer["choices"][0]["message"]["content"]}))
