/**
 * The examples of docs/api.md, in the order in which they work: tests run each against a gateway
 * that has no token yet.
 */

export interface ApiExample {
  title: string;
  /** `path` is what curl is given after its address and credential; the reply must hold `reply`. */
  path: string;
  method?: "POST" | "PUT";
  /** `credential` says which of the two credentials the example shows. */
  credential: "$TOLLGATE_KEY" | "$API_KEY";
  body?: unknown;
  reply: string;
}

const managed = "$TOLLGATE_KEY";
const called = "$API_KEY";

export const apiExamples: readonly ApiExample[] = [
  {
    title: "Create a token under a name of your own; the reply shows its key this once",
    path: "/api/token/by-external/ci",
    method: "PUT",
    credential: managed,
    body: { name: "ci", unlimited_quota: true, models: "gpt-5.6-terra" },
    reply: '"key":"sk-',
  },
  {
    title: "Let it spend a dollar a day: 500,000 units",
    path: "/api/token/1/spending_limit",
    method: "PUT",
    credential: managed,
    body: { amount: 500_000, window: "day" },
    reply: '"window":"day"',
  },
  {
    title: "Give it a new key, while the old one works for a day more",
    path: "/api/token/rotate",
    method: "POST",
    credential: managed,
    body: { id: 1, overlap_seconds: 86_400 },
    reply: '"old_key_until":',
  },
  {
    title: "Call a model with the key",
    path: "/v1/chat/completions",
    method: "POST",
    credential: called,
    body: { model: "gpt-5.6-terra", messages: [{ role: "user", content: "hello" }] },
    reply: '"choices":',
  },
  {
    title: "List the models that the key may use",
    path: "/v1/models",
    credential: called,
    reply: '"id":"gpt-5.6-terra"',
  },
  {
    title: "Read what the key may still spend today",
    path: "/v1/budget",
    credential: called,
    reply: '"remaining":',
  },
  {
    title: "Read what your calls with the token cost, in units",
    path: "/api/log/self/stat?token_name=ci",
    credential: managed,
    reply: '"quota":',
  },
];

interface ExampleCall {
  path: string;
  method?: string;
  credential?: ApiExample["credential"];
  body?: unknown;
}

/**
 * `readExampleCommand` writes the command as it is typed into a shell that has `TOLLGATE_URL` and
 * the credential.
 */
export function readExampleCommand({ path, method, credential, body }: ExampleCall): string {
  const lines = [
    `curl --fail-with-body ${method ? `-X ${method} ` : ""}"$TOLLGATE_URL${path}"`,
    ...(credential === undefined ? [] : [`-H "Authorization: Bearer ${credential}"`]),
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`]),
  ];
  return lines.join(" \\\n  ");
}
