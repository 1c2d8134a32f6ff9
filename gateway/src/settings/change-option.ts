/** Changes one setting: checked by its rule, audited, and in force before the reply. */
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { formatFieldMessage } from "@tollgate/contract/api/field-message.ts";
import type { updateOption } from "@tollgate/contract/site/options.ts";
import { isPerson } from "../http/management-key-access.ts";
import { type Refusal, refuse } from "../http/refusal.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Database, Write } from "../storage/database.ts";
import { loadPatternEngine } from "./deny-lists.ts";
import { buildOptionReader, openSecret, sealSecret } from "./live-options.ts";
import type { OptionCheck } from "./option-checks.ts";
import {
  type OptionKey,
  optionDefaults,
  optionsOpenToKeys,
  type SecretOptionKey,
} from "./option-defaults.ts";
import type { LinkContext } from "./option-links.ts";
import { type EnvironmentSettings, findPrerequisiteProblem } from "./option-prerequisites.ts";
import {
  buildRule,
  buildSecretRule,
  isFixedValue,
  isOptionKey,
  isSecretKey,
} from "./option-rules.ts";
import type { OptionStore, StoredOption } from "./option-store.ts";
import { isSingleOidcKey, type TakeOverOidcSettings } from "./single-oidc-keys.ts";

export interface ChangeOptionDeps {
  db: Database;
  store: OptionStore;
  seal: Sealer;
  publicUrl: string | undefined;
  /** `hasSmtpUrl` says whether SMTP_URL configures mail. */
  hasSmtpUrl(): boolean;
  takeOverOidc: TakeOverOidcSettings;
  guardAddressIssue: LinkContext["guardAddressIssue"];
}

type OptionRows = ReadonlyMap<string, StoredOption>;

/** Page texts may be long; the audit trail shows the change without keeping every version. */
const auditedCharsMax = 1000;

/** The statements of one change, and the row that it leaves. */
export interface OptionPlan {
  row: StoredOption;
  writes: Write[];
  audits: Write[];
}

export function createOptionEditor(deps: ChangeOptionDeps) {
  const { db, store, seal, publicUrl, hasSmtpUrl, takeOverOidc, guardAddressIssue } = deps;
  const readGiven = () => ({ hasSmtpUrl: hasSmtpUrl(), hasPublicUrl: publicUrl !== undefined });
  /** Every host name under which this server may be reached. */
  const ownHosts = ({ headers }: AuthenticatedContext, stored: OptionRows): string[] => {
    const addresses = [publicUrl ?? "", stored.get("ServerAddress")?.value ?? ""].filter((text) =>
      URL.canParse(text),
    );
    return [headers.get("host") ?? "", ...addresses.map((text) => new URL(text).host)].filter(
      Boolean,
    );
  };

  const write = async (
    call: AuthenticatedContext,
    target: string,
    change: Record<string, unknown>,
    statement: Write,
  ) => {
    await db.write([statement, ...call.audit("option.change", target, change)], {
      changes: ["options"],
    });
  };

  /** Undefined for a value that is in force already. */
  const planPlain = (
    call: AuthenticatedContext,
    key: OptionKey,
    text: string,
    stored: OptionRows,
  ): OptionPlan | undefined => {
    const before = stored.get(key)?.value ?? optionDefaults[key];
    if (key === "QuotaPerUnit") {
      if (isFixedValue(text)) return undefined;
      throw refuse("option_fixed", {
        message: `QuotaPerUnit is fixed at ${optionDefaults[key]}: every balance, price and receipt depends on it`,
      });
    }
    const value = readAcceptedValue(
      buildRule(key)(text, { ownHosts: ownHosts(call, stored), guardAddressIssue }),
    );
    checkPrerequisites(key, value, stored, readGiven());
    if (value === before) return undefined;
    const change = { from: readAuditedValue(before), to: readAuditedValue(value) };
    const row = { key, value, updated_at: call.now };
    return { row, writes: [store.set(row)], audits: call.audit("option.change", key, change) };
  };

  /** `plan` is for a setting without a secret, after those that `stored` holds. */
  const plan = async (
    call: AuthenticatedContext,
    key: string,
    text: string,
    stored: OptionRows,
  ): Promise<OptionPlan | undefined> => {
    checkMayChange(call, key);
    if (key === "DenyLists") await loadPatternEngine();
    if (!isOptionKey(key)) throw refuseUnknownOption(key);
    const planned = planPlain(call, key, text, stored);
    const takenOver = planned && (await takeOver(key, planned.row.value, stored, call));
    return takenOver
      ? { row: { ...planned.row, value: "" }, writes: takenOver, audits: [] }
      : planned;
  };

  /** The statements that make a provider of the settings for one, if this change completes them. */
  const takeOver = async (
    key: string,
    value: string,
    stored: OptionRows,
    call: AuthenticatedContext,
  ) => {
    if (!isSingleOidcKey(key)) return undefined;
    const values = buildOptionReader(new Map([...stored].map(([name, row]) => [name, row.value])));
    return takeOverOidc((name) => {
      if (name === key) return value;
      return name === "OidcClientSecret" ? openSecret(values, seal, name) : values.text(name);
    }, call);
  };

  const changeSecret = async (
    key: SecretOptionKey,
    text: string,
    clear: boolean,
    call: AuthenticatedContext,
  ): Promise<void> => {
    const value = readAcceptedValue(buildSecretRule(key)(text, { ownHosts: [] }));
    if (value === "" && !clear) return;
    const stored = await store.all();
    checkPrerequisites(key, value, stored, readGiven());
    if (value === "") return write(call, key, { secret: "cleared" }, store.clear(key));
    const takenOver = await takeOver(key, value, stored, call);
    if (takenOver) return void (await db.write(takenOver, { changes: ["options"] }));
    const sealed = sealSecret(seal, key, value);
    await write(
      call,
      key,
      { secret: "replaced" },
      store.set({ key, value: sealed, updated_at: call.now }),
    );
  };

  const change = async (
    { key, value, clear = false }: BodyOf<typeof updateOption>,
    call: AuthenticatedContext,
  ): Promise<void> => {
    if (isSecretKey(key)) {
      checkMayChange(call, key);
      return changeSecret(key, value, clear, call);
    }
    const planned = await plan(call, key, value, await store.all());
    if (planned) await db.write([...planned.writes, ...planned.audits], { changes: ["options"] });
  };

  return { change, plan };
}

export type OptionEditor = ReturnType<typeof createOptionEditor>;

const refuseUnknownOption = (key: string) =>
  refuse("option_unknown", { message: `There is no setting named ${key}` });

function checkMayChange({ principal }: AuthenticatedContext, key: string): void {
  if (!isPerson(principal) && !optionsOpenToKeys.some((open) => open === key))
    throw refuse("management_key_not_allowed");
}

function readAcceptedValue(check: OptionCheck): string {
  if ("value" in check) return check.value;
  throw refuseInvalid(check.problem);
}

function refuseInvalid(problem: string): Refusal {
  const message = formatFieldMessage({ path: ["value"] }, problem);
  return refuse("invalid_request", { message, fields: { value: message } });
}

function checkPrerequisites(
  key: string,
  value: string,
  stored: OptionRows,
  given: EnvironmentSettings,
): void {
  const defaultOf = (name: string) => (isOptionKey(name) ? optionDefaults[name] : "");
  const valueAfter = (name: string) =>
    name === key ? value : (stored.get(name)?.value ?? defaultOf(name));
  const problem = findPrerequisiteProblem(key, { valueAfter, ...given });
  if (problem !== undefined) throw refuse("option_incomplete", { message: problem });
}

const readAuditedValue = (text: string) =>
  text.length <= auditedCharsMax
    ? text
    : `${text.slice(0, auditedCharsMax)}… (${text.length} characters)`;
