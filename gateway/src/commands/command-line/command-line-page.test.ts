// docs/command-line.md is made of the verbs that exist, with the flags that the contract gives
// them.
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import { managedResourceNames } from "./managed-resources.ts";
import { readCommandLine } from "./read-command-line.ts";
import { listResourceRows } from "./resource-verbs.ts";

/** `helpOf` gives what `--help` prints, on a wide terminal. */
async function helpOf(name: string): Promise<string> {
  const line = await readCommandLine([...name.split(" "), "--help"], 120);
  if (line.kind !== "help") throw new Error(`${name} has no help`);
  return line.text;
}

const introduction = `# The command line

<!-- Written by gateway/src/commands/command-line/command-line-page.test.ts from the contract: run it with -u after a change. -->

The program itself is \`./tollgate\` (\`tollgate\` where a [package](install.md) is installed) with one of these subcommands, or one of those
for a running gateway below. \`--help\` lists them, after a subcommand its options; \`--version\` prints version, commit and schema.
An argument that a subcommand does not take is refused with exit code 64 before anything is opened.

| Subcommand | What it does |
|---|---|
| \`serve\` | Runs the gateway; the default. On PostgreSQL, \`serve --processes 4\` (also \`npm start -- --processes 4\`) runs four processes on the port and replaces one that dies |
| \`audit\` | Verifies that balances, counters and holds agree with the ledger and that the record of changes is complete; prints the differences and exits with 1 where they do not. \`audit --trail\` prints the last entry of the record ([operations.md](operations.md)); \`audit --usage\` compares charges with what providers reported in calls and in their cost reports ([usage.md](usage.md)) |
| \`backup\` | \`backup <file>\` copies the database while the gateway runs; on PostgreSQL it names the \`pg_dump\` command ([operations.md](operations.md)) |
| \`doctor\` | Before an upgrade, lists the migrations that will run and anything that would stop the gateway from working (disk, clocks, master key, a database, Redis or provider that does not answer, settings without effect), each with its remedy. It changes nothing. Exit code 0 without changes, 2 before an upgrade, 1 with a problem ([operations.md](operations.md#upgrade)) |
| \`import\` | Brings users, keys, channels, prices, codes, settings and balances of one-api, its fork by Laisky, new-api or LiteLLM over; \`import verify\` compares ([import.md](import.md)) |
| \`migrate\` | Migrates the database to the current schema and exits |
| \`rotate-key\` | Re-encrypts all secrets under a new master key. If interrupted, run it again to resume ([operations.md](operations.md)). It asks first; \`--yes\` answers |
| \`root-password\` | Gives \`root\` a new one-time password, ends its sessions and removes its second factor and passkeys. It asks first; \`--yes\` answers |
| \`usernames\` | Lists usernames that would be refused today: with an @, with invisible characters, or too similar to another one |

\`login\`, \`token\`, \`logout\` and \`use\` are for people whose coding agents work with their own sign-in: see
[agent-sign-in.md](agent-sign-in.md). They open no database and read no settings but \`TOLLGATE_URL\`.

Each of the others names the database that it opens. Only \`serve\`, \`migrate\` and \`import\` create one, and its master key, where none exists. On SQLite all
but \`backup\` and \`doctor\` need the gateway stopped, because one process owns the file. \`rotate-key\` needs that on PostgreSQL too.

## A running gateway

\`users\`, \`keys\`, \`teams\` and \`channels\` call the management API of a running gateway, on this machine or another. In a clone the program is
\`./tollgate\`.

\`\`\`sh
export TOLLGATE_URL=https://ai.example.com
export TOLLGATE_KEY=tgm-…   # a management key, made under Account, with the scopes for what is done

tollgate users list --keyword carol
tollgate users create --username carol --password-file - < password.txt
tollgate keys create --name ci --models gpt-5.6-terra --remain-quota 500000 --key-to ci.key
tollgate keys rotate 12 --overlap-seconds 86400 --key-to ci.key.new
tollgate channels put openai-west --name openai-west --type 1 --models gpt-5.6-terra --key-file openai.key
tollgate channels disable 7 --dry-run
tollgate teams put search --name Search --group partners
\`\`\`

- **Rights.** The scopes of the management key decide, and the role of its maker. \`keys\` are those of the maker; with
  \`--everyone\` an administrator lists and disables those of all users.
- **Secrets** are never arguments, which every user of the machine can read: passwords, provider keys and the configuration of a
  channel come from files or standard input (\`-\`). A new API key goes to a file (\`--key-to\`, for its owner alone) or to the output
  (\`--show-key\`); anywhere else it is masked.
- **Money.** Quota is counted in units, 500,000 to the dollar; that of users needs the scope \`wallets:grant\`. A changed quota is written as the difference to what it was a moment
  before, so that no spending is undone. A limit of \`none\` is none.
- **Dry runs.** With \`--dry-run\` the gateway checks the rights of the key and the form of the input, and changes nothing. What only the
  change itself finds out, such as an id that does not exist, is not asked.
- **Repetition.** \`put\` creates what has this external id or changes it, so that a script may run again after a broken connection.
- **Deleting** asks on a terminal first. Elsewhere, or with \`--yes\`, it does not ask: without \`--yes\` it then does nothing.
- **Output.** A table of one page, or \`--json\` with every member. Notes and errors go to standard error. The exit code is 0 when it is
  done, 1 when it is refused or fails, and 64 when there is no such command, option or argument: nothing was opened or sent then.

For a whole configuration in one file see [configuration-file.md](configuration-file.md).
`;

const agents = (help: string): string => `## mcp

\`\`\`text
${help}
\`\`\`

A client of the Model Context Protocol starts it as a program, for example:

\`\`\`json
{ "mcpServers": { "tollgate": { "command": "/opt/tollgate/tollgate", "args": ["mcp", "--scope", "users:read"],
  "env": { "TOLLGATE_URL": "https://ai.example.com", "TOLLGATE_KEY": "tgm-…" } } } }
\`\`\`

- Its tools are the operations of the [management API](api.md) that a management key may call, with their schemas. What the key
  lacks is refused, and each change is in the record of changes with the name of the key: give the agent a key of its own, with the
  scopes for its task and a short life.
- A change is made only after a dry run of the same input: without \`dry_run\` the gateway checks the rights of the key and the form of
  the input, the tool shows what is there and what would be sent, and
  repeated with \`"dry_run": false\` it does it, once ([why](decisions/0043-agents-over-the-contract.md)).
- Names, remarks and logs hold texts of users, which an agent may take for instructions. The scopes are what bounds it.
`;

test("docs/command-line.md says what the commands take", async () => {
  const rows = listResourceRows();
  const sections = managedResourceNames.map(async (resource) => {
    const names = rows.flatMap(({ name }) => (name.startsWith(`${resource} `) ? [name] : []));
    const helps = await Promise.all(names.map(helpOf));
    return `## ${resource}\n\n\`\`\`text\n${helps.join("\n\n\n")}\n\`\`\`\n`;
  });
  const parts = [introduction, agents(await helpOf("mcp")), ...(await Promise.all(sections))];
  await expect(parts.join("\n")).toMatchFileSnapshot(join(repositoryDir, "docs/command-line.md"));
});
