/** The arguments of the command `import`. Pure. */
import { parseArgs } from "node:util";

export const importUsage = `import <source> [options]         brings users, keys, channels, codes, settings and balances over
import verify <source> [options]  compares the source with what was carried

<source> is the database of one-api, its fork by Laisky, or new-api: a SQLite file, postgres://…, mysql://…, or the SQL_DSN of
that system (user:password@tcp(host:3306)/name). Where the argument is missing, it is IMPORT_SOURCE: use that for an address with
a password, because arguments can be read by every user of the machine.
  --name NAME       names the source, so that several can be imported (default: main)
  --plan            shows what would be carried and what not, and writes nothing
  --keep-root NAME  an account of role 100 that stays root; all others arrive as administrators
  --all             prints every line, not only the first of each kind`;

export interface ImportArguments {
  isVerify: boolean;
  source: string;
  name: string;
  isPlan: boolean;
  keepRoot: ReadonlySet<string>;
  printsAll: boolean;
}

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
        "keep-root": { type: "string", multiple: true, default: [] },
        all: { type: "boolean", default: false },
      },
    });
    const isVerify = positionals[0] === "verify";
    const [source = fallback, ...more] = isVerify ? positionals.slice(1) : positionals;
    if (source === undefined || source === "" || more.length > 0 || !namePattern.test(values.name)) return undefined;
    return {
      isVerify,
      source,
      name: values.name,
      isPlan: values.plan,
      keepRoot: new Set(values["keep-root"]),
      printsAll: values.all,
    };
  } catch {
    return undefined;
  }
}
