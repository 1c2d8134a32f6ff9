/** docs/terraform.md: the Terraform provider as a page. Pure. */
import type { TerraformAttribute, TerraformType } from "./terraform-contract.ts";
import { buildTerraformContract } from "./terraform-contract.ts";

const introduction = `# Terraform

<!-- Written by \`npm run reference\` from the contract. -->

The provider in [\`terraform\`](../terraform) keeps channels, API keys, accounts, teams, budgets, virtual models and settings of a gateway as code, with
Terraform from 1.11 or OpenTofu from 1.11. Its resources are made of the same contract as the [API](api.md). What one document says at once, without a
state, is the [configuration file](configuration-file.md); do not let both keep the same thing.

## Install

The provider is in no registry. Build it with Go 1.25 or newer, and say in \`~/.terraformrc\` (\`~/.tofurc\`) where it is:

\`\`\`sh
cd terraform && go build -o ~/.terraform-plugins/terraform-provider-tollgate .
\`\`\`

\`\`\`hcl
provider_installation {
  dev_overrides { "tollgate/tollgate" = "/home/me/.terraform-plugins" }
  direct {}
}
\`\`\`

With \`dev_overrides\` there is nothing to initialise: \`plan\` works at once.

## Connect

\`TOLLGATE_URL\` is the address of the gateway, \`TOLLGATE_KEY\` a management key of the console (Settings, Management keys) with the scopes that the tables
below name; \`url\` and \`key\` of the provider win over them. What no management key may do, a personal access token of root does in its place:
settings that decide who signs in or where secrets go, secret settings, and the deletion of teams. [terraform/examples/main.tf](../terraform/examples/main.tf) has every resource:

\`\`\`hcl
provider "tollgate" {}

resource "tollgate_channel" "west" {
  name   = "openai-west"
  type   = 1
  key_wo = var.provider_key
  models = "gpt-5.6-terra, gpt-5.6-sol"
}

resource "tollgate_budget" "alice" {
  name       = "alice by month"
  subject    = "user"
  subject_id = tollgate_user.alice.id
  window     = "month"
  amount     = 5000000
}
\`\`\`

## What to know

- **Plans ask the gateway.** What it would refuse is an error of the plan, at the attribute, before anything is made. Nothing is written by a plan.
- **What is not configured is left alone**: the gateway has a default for it, and the console may change it. What is configured is drift when it changes.
- **Secrets** are never read back. \`key\` and \`password\` are kept in the state, \`key_wo\` and \`password_wo\` nowhere: they are sent at the creation, and again
  when \`key_wo_version\` or \`password_wo_version\` changes. The \`key\` of a token is in the state, for only its creation shows it.
- **Quota is spent**, which is no drift: \`quota\` and \`remain_quota\` stay as they were written, and a change adds or takes the difference.
- **A status that the gateway changes**, such as a channel that it disabled after failures, is drift where \`status\` is configured. Leave it out to let
  the gateway decide.
- **Teams are disabled, not deleted**, by a management key: money is in them. The name stays taken until a person, or an access token, deletes the team.
- **Import** takes an id or a uuid, and of a setting its name: \`terraform import tollgate_channel.west 7\`. With \`…_wo\` and no version nothing is
  planned afterwards; \`key\` and \`password\` are sent once more, and so is a list that the gateway writes in another way, without spaces.
  An API key that exists already is imported without its value, which no one is shown again: it goes on calling, and \`key\` is null.
- **Two programs**: a management key has 120 calls a minute. The provider waits when the gateway asks for it.`;

const isOfKind = (type: TerraformType, ...kinds: TerraformType["kind"][]): boolean =>
  kinds.includes(type.kind);

function formatType(type: TerraformType): string {
  switch (type.kind) {
    case "list":
      return `list of ${formatType(type.of)}`;
    case "map":
      return `map of ${formatType(type.of)}`;
    case "object":
      return `{ ${Object.entries(type.members)
        .map(([name, member]) => `${name}: ${formatType(member.type)}`)
        .join(", ")} }`;
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
      return type.kind;
    default:
      return type satisfies never;
  }
}

function formatUse(attribute: TerraformAttribute): string {
  const { required, in_creation, in_change, secret, sensitive, shown_once } = attribute;
  const isSent = in_creation || in_change;
  return [
    required ? "required" : isSent ? "optional" : "read",
    ...(in_creation && !in_change ? ["a change makes it anew"] : []),
    ...(secret || sensitive || shown_once ? ["sensitive"] : []),
  ].join(", ");
}

const formatCell = (text: string): string => text.replaceAll("|", "\\|");

function formatRow([name, attribute]: [string, TerraformAttribute]): string {
  const shown = attribute.secret
    ? `\`${name}\`, \`${name}_wo\`, \`${name}_wo_version\``
    : `\`${name}\``;
  const type = isOfKind(attribute.type, "object", "list", "map")
    ? `\`${formatType(attribute.type)}\``
    : formatType(attribute.type);
  return `| ${shown} | ${type} | ${formatUse(attribute)} | ${formatCell(attribute.description)} |`;
}

const tableHead = "| Attribute | Type | Use | Meaning |\n|---|---|---|---|";

export function buildTerraformPage(): string {
  const { resources, lists } = buildTerraformContract();
  const sections = Object.entries(resources).map(([name, resource]) => {
    const { description, read, create, attributes } = resource;
    const rows = Object.entries(attributes).map(formatRow);
    return `### \`tollgate_${name}\`\n\n${description}. Scopes: \`${read.scope}\`, \`${create.scope}\`.\n\n${tableHead}\n${rows.join("\n")}`;
  });
  const setting = `### \`tollgate_option\`

One [setting](configuration-file.md) by its name; destroyed, it has its default again. Scopes: \`options:read\`, \`options:write\`, of a key that root made;
secret settings need an access token of root.

${tableHead}
| \`key\` | string | required, a change makes it anew | The name, such as \`RetryTimes\` |
| \`value\` | string | optional | Text, whatever the setting holds: \`"true"\`, \`"3"\`, JSON |
| \`secret\`, \`secret_wo\`, \`secret_wo_version\` | string | optional, sensitive | The value of a setting that cannot be read, such as \`SMTPToken\` |`;
  const sources = Object.entries(lists).map(
    ([name, { description, read }]) =>
      `| \`tollgate_${name}\` | ${description} | \`${read.scope}\` |`,
  );
  return `${[
    introduction,
    "## Resources",
    ...sections,
    setting,
    `## Data sources\n\nEach has the list \`names\`.\n\n| Source | Names of | Scope |\n|---|---|---|\n${sources.join("\n")}`,
  ].join("\n\n")}\n`;
}
