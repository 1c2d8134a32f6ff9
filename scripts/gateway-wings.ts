// The wings of the gateway and which other wings each one knows, types included.

const base = ["egress", "http", "limits", "money", "secrets", "settings", "storage"];

export const gatewayWings: Readonly<Record<string, readonly string[]>> = {
  accounts: [...base, "notices"],
  "call-bodies": ["accounts", "egress", "http", "secrets", "settings", "storage"],
  catalogue: [...base, "accounts", "notices"],
  commands: [...base, "accounts", "catalogue", "config", "figures", "process"],
  config: ["call-bodies", "egress", "http", "money", "secrets", "telemetry"],
  egress: [],
  figures: [...base, "accounts", "call-bodies", "catalogue", "notices"],
  "foreign-calls": ["accounts", "http", "storage"],
  http: ["limits", "storage"],
  limits: ["storage"],
  money: ["settings", "storage"],
  notices: [...base, "figures", "site", "telemetry"],
  process: ["storage"],
  relay: [
    ...base,
    "accounts",
    "call-bodies",
    "catalogue",
    "config",
    "figures",
    "notices",
    "telemetry",
  ],
  secrets: ["settings", "storage"],
  settings: ["egress", "http", "secrets", "storage"],
  site: ["http", "storage"],
  // The composer knows all of them.
  start: [
    ...[
      "accounts",
      "call-bodies",
      "catalogue",
      "commands",
      "config",
      "egress",
      "figures",
      "foreign-calls",
      "http",
    ],
    ...[
      "limits",
      "money",
      "notices",
      "process",
      "relay",
      "secrets",
      "settings",
      "site",
      "storage",
      "telemetry",
    ],
  ],
  storage: [],
  telemetry: ["accounts", "config", "egress", "http", "limits", "money", "storage"],
};

/**
 * `findWrongWing` says why the wing `from` may not import the wing `to`; undefined where it may.
 */
export function findWrongWing(from: string, to: string): string | undefined {
  const known = gatewayWings[from];
  const stranger = known === undefined ? from : gatewayWings[to] === undefined ? to : undefined;
  if (stranger !== undefined)
    return `${stranger} is no wing of the gateway yet: give it a row in scripts/gateway-wings.ts`;
  if (from === to || known?.includes(to)) return undefined;
  return `${from} never imports ${to}: see scripts/gateway-wings.ts`;
}
