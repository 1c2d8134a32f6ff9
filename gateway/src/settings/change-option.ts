/** Changing one setting: by its rule, on the record, and in force before the answer goes out. */
import type { BodyOf } from "@tollgate/contract/endpoint.ts";
import type { updateOption } from "@tollgate/contract/options.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { type Refusal, refuse } from "../http/refusal.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Database, Write } from "../storage/database.ts";
import { type OptionKey, optionDefaults, type SecretOptionKey } from "./option-defaults.ts";
import { prerequisiteTrouble } from "./option-prerequisites.ts";
import { isFixedValue, isOptionKey, isSecretKey, type Ruling, ruleOf, secretRule } from "./option-rules.ts";
import type { OptionStore, StoredOption } from "./option-store.ts";
import { sealSecret } from "./options.ts";

export interface OptionParts {
  db: Database;
  store: OptionStore;
  seal: Sealer;
  publicUrl: string | undefined;
  /** Whether SMTP_URL says how mail is sent. */
  hasSmtpUrl: boolean;
}

type Call = Circumstances & { caller: Caller };
type Stored = ReadonlyMap<string, StoredOption>;

/** Pages may be long; the record needs to show what changed, not to keep every version of them. */
const recordedMax = 1000;

export function changeOptionWith({ db, store, seal, publicUrl, hasSmtpUrl }: OptionParts) {
  /** Every name under which this server may be reached. */
  const ownHosts = ({ headers }: Call, stored: Stored): string[] => {
    const addresses = [publicUrl ?? "", stored.get("ServerAddress")?.value ?? ""].filter((text) => URL.canParse(text));
    return [headers.get("host") ?? "", ...addresses.map((text) => new URL(text).host)].filter(Boolean);
  };

  const write = async (call: Call, target: string, change: Record<string, unknown>, statement: Write) => {
    const audit = db.audit({
      at: call.now,
      actorId: call.caller.id,
      address: call.address,
      action: "option.change",
      target,
      change,
    });
    await db.write([statement, ...audit], { changes: ["options"] });
  };

  const changePlain = async (key: OptionKey, text: string, call: Call): Promise<void> => {
    const stored = await store.all();
    const before = stored.get(key)?.value ?? optionDefaults[key];
    if (key === "QuotaPerUnit") {
      if (isFixedValue(text)) return;
      throw refuse("option_fixed", {
        message: `QuotaPerUnit is fixed at ${optionDefaults[key]}: every balance, price and receipt is reckoned with it`,
      });
    }
    const value = ruled(ruleOf(key)(text, { ownHosts: ownHosts(call, stored) }));
    checkPrerequisites(key, value, stored, hasSmtpUrl);
    if (value === before) return;
    const change = { from: recorded(before), to: recorded(value) };
    await write(call, key, change, store.set({ key, value, updated_at: call.now }));
  };

  const changeSecret = async (key: SecretOptionKey, text: string, clear: boolean, call: Call): Promise<void> => {
    const value = ruled(secretRule(text, { ownHosts: [] }));
    if (value === "" && !clear) return;
    checkPrerequisites(key, value, await store.all(), hasSmtpUrl);
    if (value === "") return write(call, key, { secret: "cleared" }, store.clear(key));
    const sealed = sealSecret(seal, key, value);
    await write(call, key, { secret: "replaced" }, store.set({ key, value: sealed, updated_at: call.now }));
  };

  return async ({ key, value, clear = false }: BodyOf<typeof updateOption>, call: Call): Promise<void> => {
    if (isSecretKey(key)) return changeSecret(key, value, clear, call);
    if (isOptionKey(key)) return changePlain(key, value, call);
    throw refuse("option_unknown", { message: `There is no setting named ${key}` });
  };
}

function ruled(ruling: Ruling): string {
  if ("value" in ruling) return ruling.value;
  throw invalid(ruling.trouble);
}

const invalid = (trouble: string): Refusal =>
  refuse("invalid_request", { message: `value ${trouble}`, fields: { value: `value ${trouble}` } });

function checkPrerequisites(key: string, value: string, stored: Stored, hasSmtpUrl: boolean): void {
  const usual = (name: string) => (isOptionKey(name) ? optionDefaults[name] : "");
  const valueAfter = (name: string) => (name === key ? value : (stored.get(name)?.value ?? usual(name)));
  const trouble = prerequisiteTrouble(key, { valueAfter, hasSmtpUrl });
  if (trouble !== undefined) throw refuse("option_incomplete", { message: trouble });
}

const recorded = (text: string) =>
  text.length <= recordedMax ? text : `${text.slice(0, recordedMax)}… (${text.length} characters)`;
