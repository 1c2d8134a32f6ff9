/**
 * Every command but the verbs of users, keys, teams and channels, whose options come from the contract
 * (resource-verbs.ts).
 */
import type { CommandInput, CommandOption, CommandRow } from "./command-row.ts";

const usageOptions = ["from", "to", "channel", "threshold"] as const;

function auditProblem({ options }: CommandInput): string | undefined {
  const { trail, usage } = options;
  if (trail !== undefined && usage !== undefined)
    return "--trail and --usage are two audits: name one of them";
  const lost = usageOptions.find((name) => options[name] !== undefined && usage === undefined);
  return lost === undefined ? undefined : `--${lost} belongs to --usage`;
}

/** `localCommands` work on the database of a gateway, or are the gateway. */
export const localCommands = [
  {
    name: "serve",
    summary: "runs the gateway, as the program does without a command",
    options: [
      {
        name: "processes",
        value: "N",
        help: "on PostgreSQL: runs this many processes on one port",
      },
      {
        name: "accept-future-ids",
        help: "starts although the newest entry is more than an hour ahead of the clock: new ones carry its time until then",
      },
      { name: "process", value: "N", isHidden: true, help: "which of them this is" },
    ],
  },
  {
    name: "audit",
    summary:
      "proves that balances, counters and holds agree with the ledger and that the record of changes is whole",
    options: [
      {
        name: "trail",
        value: "ENTRY:HASH",
        isValueOptional: true,
        help: "prints the last entry of the record of changes; with an entry that was noted, tells whether it is still there",
      },
      {
        name: "usage",
        help: "compares charges with what providers reported, in calls and in their cost reports",
      },
      {
        name: "from",
        value: "DAY",
        help: "with --usage: the first day in UTC, YYYY-MM-DD (default: 30 days ago)",
      },
      { name: "to", value: "DAY", help: "with --usage: the last day" },
      { name: "channel", value: "ID", help: "with --usage: one channel alone" },
      {
        name: "threshold",
        value: "PERCENT",
        help: "with --usage: how far costs may differ (default: 1)",
      },
    ],
    problemWith: auditProblem,
  },
  {
    name: "backup",
    summary:
      "copies the database while the gateway runs; on PostgreSQL it prints the command that does",
    args: [{ name: "FILE", isRequired: true, help: "a new file" }],
  },
  {
    name: "doctor",
    summary:
      "tells what the next start will change in the database and what would keep the gateway from working",
    details:
      "It changes nothing. Exit code 0 where nothing changes, 2 before an upgrade, 1 with a problem.",
  },
  {
    name: "import",
    summary:
      "brings users, keys, channels, codes, settings and balances of another system over; verify compares",
    details: `SOURCE is the database of one-api, its fork by Laisky, new-api or LiteLLM: a SQLite file, postgres://…, mysql://…, or the SQL_DSN of that system (user:password@tcp(host:3306)/name). The source for a LiteLLM proxy without a database is its config.yaml. Without the argument the variable IMPORT_SOURCE is read: use it for an address with a password, because every user of the machine can read the arguments of a program.

Exit code 0 where everything was carried, 2 where something was not, 1 where nothing was.`,
    args: [
      { name: "verify", help: "compares the source with what was carried, and writes nothing" },
      { name: "SOURCE", help: "the other system" },
    ],
    options: [
      {
        name: "name",
        value: "NAME",
        help: "names the source, so that several can be imported (default: main)",
      },
      {
        name: "logs",
        help: "carries the log too, as rows and as sums by day; a later run carries what is new",
      },
      {
        name: "logs-since",
        value: "DAY",
        help: "carries rows from this UTC day on (YYYY-MM-DD); older ones are in the sums alone",
      },
      {
        name: "log-source",
        value: "DB",
        help: "where that log is in a database of its own (LOG_SQL_DSN); or the variable IMPORT_LOG_SOURCE",
      },
      { name: "plan", help: "shows what would be carried and what not, and writes nothing" },
      {
        name: "follow-deletions",
        value: "N",
        help: "what is deleted in the source is disabled here: where it is much, N names the number of rows",
      },
      {
        name: "cut-over",
        help: "the run at the change-over: later runs follow no deletions any more",
      },
      {
        name: "undo-deletions",
        help: "reads no source: enables again what was disabled here because it was deleted there",
      },
      {
        name: "keep-root",
        value: "NAME",
        isRepeated: true,
        help: "an account of role 100 that stays root; all others arrive as administrators",
      },
      {
        name: "prices-from",
        value: "FILE",
        help: "one-api and new-api: the answer of the running server to GET /api/option/ or GET /api/pricing",
      },
      { name: "config", value: "FILE", help: "LiteLLM: its config.yaml besides the database" },
      {
        name: "unlimited-as",
        value: "N",
        help: "LiteLLM: units of a wallet that has no budget there (default: 500000000000000)",
      },
      {
        name: "env-file",
        value: "FILE",
        help: "LiteLLM: its environment, such as LITELLM_SALT_KEY and the variables that its models name",
      },
      { name: "all", help: "prints every line, not only the first of each kind" },
    ],
  },
  {
    name: "migrate",
    summary: "brings the database to the schema of this program and ends; makes one where none is",
  },
  {
    name: "rotate-key",
    summary:
      "changes the master key: everything sealed is sealed anew; broken off, it goes on where it was",
    asksBefore: "it changes the key",
  },
  {
    name: "root-password",
    summary:
      "gives root a new one-time password, ends its sessions and takes off its second factor and passkeys",
    asksBefore: "it does",
  },
  {
    name: "usernames",
    summary:
      "lists usernames that could not be given today: with an @, invisible characters, or looking like another one",
  },
] as const satisfies readonly CommandRow[];

export type LocalCommandName = (typeof localCommands)[number]["name"];

const fileOptions: readonly CommandOption[] = [
  {
    name: "file",
    short: "f",
    value: "FILE",
    isRequired: true,
    help: "YAML or JSON; - reads standard input",
  },
  {
    name: "name",
    value: "NAME",
    help: "marks what the file creates (default: the name of the file)",
  },
  { name: "adopt", help: "takes over what was made in the console or belongs to another file" },
  { name: "prune", help: "deletes what belongs to this file and is no longer in it" },
  {
    name: "password-file",
    value: "FILE",
    help: "the password of the key's maker, which a change of identity providers needs",
  },
];

/**
 * `remoteCommands` manage a running gateway over its API: they open no database and read no other
 * settings.
 */
export const remoteCommands: readonly CommandRow[] = [
  {
    name: "export",
    summary: "prints the configuration of a running gateway; secrets are references to variables",
    options: [{ name: "json", help: "prints JSON and not YAML" }],
  },
  {
    name: "plan",
    summary: "shows what apply would change: exit code 2 with changes, 0 without",
    options: fileOptions,
  },
  {
    name: "apply",
    summary: "brings a running gateway to the state of the file",
    options: [...fileOptions, { name: "dry-run", help: "does what plan does" }],
    asksBefore: "it deletes",
  },
  {
    name: "mcp",
    summary: "an MCP server on standard input and output, with the rights of TOLLGATE_KEY",
    options: [
      {
        name: "scope",
        value: "SCOPE",
        isRepeated: true,
        help: "offers the operations of this scope alone, such as users:read; may be repeated",
      },
      {
        name: "show-secrets",
        help: "shows new keys and codes to the agent, and with it to its provider; they are masked otherwise",
      },
    ],
  },
];

/**
 * `agentCommands` are for people on their own machine and their coding agents, with a sign-in of
 * their own: they need no management key.
 */
export const agentCommands = [
  {
    name: "login",
    summary: "signs this machine's user in to a gateway, by a code that is approved in the console",
    args: [{ name: "URL", help: "the gateway; default: TOLLGATE_URL, or where you are signed in" }],
  },
  {
    name: "token",
    summary: "prints an API key of that sign-in that is good now, for the key helpers of agents",
  },
  { name: "logout", summary: "ends that sign-in: its keys stop at once" },
  {
    name: "use",
    summary: "sets a coding agent up for that gateway: claude, codex, gemini, opencode or qwen",
    args: [{ name: "AGENT", isRequired: true, help: "claude, codex, gemini, opencode or qwen" }],
    options: [
      {
        name: "model",
        value: "MODEL",
        help: "the model that it asks for (default: the newest that fits it)",
      },
      { name: "print", help: "shows the files as they would be, and writes nothing" },
      { name: "undo", help: "takes out again what was written" },
    ],
    problemWith: ({ options }) =>
      options.undo === true && (options.print === true || options.model !== undefined)
        ? "--undo stands alone"
        : undefined,
  },
] as const satisfies readonly CommandRow[];

export type AgentCommandName = (typeof agentCommands)[number]["name"];

/** `groupSummaries` are those of the API too: each has verbs. */
export const groupSummaries = {
  users: "manages users of a running gateway",
  teams: "manages teams of a running gateway",
  keys: "manages API keys of a running gateway",
  channels: "manages channels of a running gateway",
} as const;
