/** Settings that administrators change at run time: a snapshot of the table `options` in memory. */
import type { Sealer } from "../secrets/seal.ts";
import type { Database } from "../storage/database.ts";
import { type OptionKey, optionDefaults, type SecretOptionKey } from "./option-defaults.ts";

export interface OptionReader {
  text(key: OptionKey): string;
  flag(key: OptionKey): boolean;
  number(key: OptionKey): number;
  /** A JSON object of numbers, such as `GroupRatio`. */
  numbers(key: OptionKey): Readonly<Record<string, number>>;
  /** The sealed value, empty when it was never set; `openSecret` decrypts it. */
  sealed(key: SecretOptionKey): string;
  /**
   * Another number after each reading of the table: what is derived from settings is derived anew.
   */
  revision(): number;
}

const secretPurpose = "option-secret";
const composeSecretContext = (key: SecretOptionKey) => `options/value/${key}` as const;

export const sealSecret = (seal: Sealer, key: SecretOptionKey, value: string) =>
  seal.seal(secretPurpose, composeSecretContext(key), value);

/** Empty when it was never set. */
export function openSecret(options: OptionReader, seal: Sealer, key: SecretOptionKey): string {
  const sealed = options.sealed(key);
  return sealed === "" ? "" : seal.open(secretPurpose, composeSecretContext(key), sealed);
}

export interface LiveOptions extends OptionReader {
  /** Reads the table again. Changes made on any node trigger it automatically. */
  refresh(): Promise<void>;
}

export function buildOptionReader(stored: ReadonlyMap<string, string>, revision = 0): OptionReader {
  const text = (key: OptionKey) => stored.get(key) ?? optionDefaults[key];
  const objects = new Map<OptionKey, Readonly<Record<string, number>>>();
  return {
    text,
    revision: () => revision,
    sealed: (key) => stored.get(key) ?? "",
    flag: (key) => text(key) === "true",
    number(key) {
      const value = Number(text(key));
      // A malformed stored value must not turn a calculation into NaN.
      return Number.isFinite(value) && text(key).trim() !== ""
        ? value
        : Number(optionDefaults[key]);
    },
    numbers(key) {
      let read = objects.get(key);
      if (!read) {
        read = pickNumbers(text(key)) ?? pickNumbers(optionDefaults[key]) ?? {};
        objects.set(key, read);
      }
      return read;
    },
  };
}

function pickNumbers(text: string): Record<string, number> | undefined {
  try {
    const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return Object.fromEntries(
      members.filter((member): member is [string, number] => typeof member[1] === "number"),
    );
  } catch {
    return undefined;
  }
}

export async function loadOptions(db: Database): Promise<LiveOptions> {
  let current = buildOptionReader(new Map());
  let startedReads = 0;
  let appliedRead = 0;
  const refresh = async () => {
    startedReads += 1;
    const started = startedReads;
    const rows = await db.read(db.sql.selectFrom("options").select(["key", "value"]));
    // Of two concurrent reads the later one is newer, whichever finishes last.
    if (started < appliedRead) return;
    appliedRead = started;
    current = buildOptionReader(new Map(rows.map(({ key, value }) => [key, value])), started);
  };
  db.onChange("options", refresh);
  await refresh();
  return {
    text: (key) => current.text(key),
    flag: (key) => current.flag(key),
    number: (key) => current.number(key),
    numbers: (key) => current.numbers(key),
    sealed: (key) => current.sealed(key),
    revision: () => appliedRead,
    refresh,
  };
}
