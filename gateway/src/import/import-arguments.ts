/** The arguments of the command `import`. Pure. */
import { parseArgs } from "node:util";
import { isCalendarDay, unlimitedUnitsDefault } from "@tollgate/contract/import-defaults.ts";
import { quotaMax } from "@tollgate/contract/scalars.ts";

export const importUsage = `import <source> [options]         brings users, keys, channels, codes, settings and balances over
import verify <source> [options]  compares the source with what was carried

<source> is the database of one-api, its fork by Laisky, new-api or LiteLLM: a SQLite file, postgres://…, mysql://…, or the SQL_DSN of
that system (user:password@tcp(host:3306)/name). The source for a LiteLLM proxy without a database is its config.yaml. Without the
argument the variable IMPORT_SOURCE is read: use it for an address with a password, because every user of the machine can read the
arguments of a program.
  --name NAME       names the source, so that several can be imported (default: main)
  --logs            carries the log too, as rows and as sums by day; a later run carries what is new
  --logs-since DAY  carries rows from this UTC day on (YYYY-MM-DD); older ones are in the sums alone
  --log-source DB   where that log is in a database of its own (LOG_SQL_DSN); or the variable IMPORT_LOG_SOURCE
  --plan            shows what would be carried and what not, and writes nothing
  --keep-root NAME  an account of role 100 that stays root; all others arrive as administrators
  --prices-from FILE  one-api and new-api: the answer of the running server to GET /api/option/ or GET /api/pricing
  --config FILE     LiteLLM: its config.yaml besides the database
  --unlimited-as N  LiteLLM: units of a wallet that has no budget there (default: 500000000000000)
  --env-file FILE   LiteLLM: its environment, such as LITELLM_SALT_KEY and the variables that its models name
  --all             prints every line, not only the first of each kind`;

export interface ImportArguments {
  isVerify: boolean;
  source: string;
  name: string;
  isPlan: boolean;
  /** From when on log rows are carried, in milliseconds; undefined where the log is not carried. */
  logsSinceMs: number | undefined;
  /** Where the log is, in place of the source; undefined for the source itself. */
  logSource: string | undefined;
  keepRoot: ReadonlySet<string>;
  /** Units of a wallet whose owner has no budget in the source. */
  unlimitedAs: number;
  /** `config.yaml` of LiteLLM: the source itself, or besides its database. */
  configFile: string | undefined;
  /** Whether the source is a database, and not that file alone. */
  hasDatabase: boolean;
  /** A saved answer of the running server, with its prices. */
  pricesFile: string | undefined;
  /** A file of variables, in place of or besides the environment. */
  envFile: string | undefined;
  printsAll: boolean;
}

/** No address of a database ends like this. */
const yamlFile = /^[^@?]*\.ya?ml$/i;
const namePattern = /^[\w.-]{1,50}$/;

/** Undefined for arguments that the usage does not name. */
export function readImportArguments(
  args: readonly string[],
  fallback: string | undefined,
): ImportArguments | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        name: { type: "string", default: "main" },
        plan: { type: "boolean", default: false },
        logs: { type: "boolean", default: false },
        "logs-since": { type: "string" },
        "log-source": { type: "string" },
        "keep-root": { type: "string", multiple: true, default: [] },
        "unlimited-as": { type: "string", default: String(unlimitedUnitsDefault) },
        config: { type: "string" },
        "prices-from": { type: "string" },
        "env-file": { type: "string" },
        all: { type: "boolean", default: false },
      },
    });
    const isVerify = positionals[0] === "verify";
    const [source = fallback, ...more] = isVerify ? positionals.slice(1) : positionals;
    if (source === undefined || source === "" || more.length > 0 || !namePattern.test(values.name)) return undefined;
    const unlimitedAs = Number(values["unlimited-as"]);
    if (!Number.isSafeInteger(unlimitedAs) || unlimitedAs < 0 || unlimitedAs > quotaMax) return undefined;
    const logsSinceMs = logsSince(values.logs, values["logs-since"]);
    if (Number.isNaN(logsSinceMs)) return undefined;
    const isFileAlone = yamlFile.test(source);
    const logSource = values["log-source"];
    if (isFileAlone && (values.config !== undefined || logSource !== undefined)) return undefined;
    return {
      isVerify,
      source,
      configFile: isFileAlone ? source : values.config,
      hasDatabase: !isFileAlone,
      name: values.name,
      isPlan: values.plan,
      logsSinceMs,
      logSource,
      keepRoot: new Set(values["keep-root"]),
      unlimitedAs,
      pricesFile: values["prices-from"],
      envFile: values["env-file"],
      printsAll: values.all,
    };
  } catch {
    return undefined;
  }
}

/** NaN for what is no day. */
function logsSince(isCarried: boolean, day: string | undefined): number | undefined {
  if (day === undefined) return isCarried ? 0 : undefined;
  return isCalendarDay(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
}
