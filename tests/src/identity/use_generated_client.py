"""Makes a key, sets its limit and reads what it used, with a client that openapi-python-client generated in the first argument."""

import json
import os
import sys
import time

sys.path.insert(0, sys.argv[1])

from tollgate_client import AuthenticatedClient  # noqa: E402
from tollgate_client.api.budgets import set_spending_limit  # noqa: E402
from tollgate_client.api.client_api import chat_completions  # noqa: E402
from tollgate_client.api.logs import get_own_log_stat  # noqa: E402
from tollgate_client.api.tokens import create_token  # noqa: E402
from tollgate_client.models import ChatCompletionsBody, CreateTokenBody, SetSpendingLimitBody  # noqa: E402

url = os.environ["TOLLGATE_URL"]
manager = AuthenticatedClient(base_url=url, token=os.environ["TOLLGATE_KEY"])
token = create_token.sync(client=manager, body=CreateTokenBody(name="python", unlimited_quota=True)).data
limit_body = SetSpendingLimitBody.from_dict({"amount": 500_000, "window": "day"})
limit = set_spending_limit.sync(token.id, client=manager, body=limit_body).data
question = {"model": "gpt-5.6-terra", "messages": [{"role": "user", "content": "hello"}]}
caller = AuthenticatedClient(base_url=url, token=token.key)
answer = chat_completions.sync(client=caller, body=ChatCompletionsBody.from_dict(question))

quota = 0
for _ in range(100):
    quota = get_own_log_stat.sync(client=manager, token_name="python").data.quota
    if quota > 0:
        break
    time.sleep(0.1)
print(json.dumps({"limit": limit.amount, "answered": "choices" in answer.to_dict(), "quota": quota}))
