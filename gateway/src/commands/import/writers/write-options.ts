/**
 * Writes the settings that mean the same here, by the rules of the settings screen, and the ratios
 * of groups.
 */
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import { sealSecret } from "../../../settings/live-options.ts";
import type { OptionCheck } from "../../../settings/option-checks.ts";
import { type OptionKey, optionDefaults } from "../../../settings/option-defaults.ts";
import { findPrerequisiteProblem } from "../../../settings/option-prerequisites.ts";
import { buildRule, buildSecretRule, isSecretKey } from "../../../settings/option-rules.ts";
import { isSingleOidcKey, type SingleOidcKey } from "../../../settings/single-oidc-keys.ts";
import type { SourceOption } from "../import-items.ts";
import { commit, type ImportRun, type ImportWrite, leave } from "../import-run.ts";
import type { ImportedItem } from "../import-store.ts";
import { readOptionDigest } from "./option-digest.ts";
import { writeOidcProvider } from "./write-oidc-provider.ts";

const groupRatio = "GroupRatio";

export async function writeOptions(run: ImportRun): Promise<void> {
  const oidc = new Map<SingleOidcKey, string>();
  /** `carried` is in a plan the settings that a switch needs are not stored. */
  const carried = new Map<string, string>();
  for await (const page of run.source.options()) {
    const known = await run.imported.known(
      "option",
      page.map(({ sourceId }) => sourceId),
    );
    // Switches come last: they need the settings that they switch on.
    const sorted = [...page].sort(
      (a, b) => Number(a.sourceId.endsWith("Enabled")) - Number(b.sourceId.endsWith("Enabled")),
    );
    for (const { sourceId, item, losses } of sorted) {
      if (item && isSingleOidcKey(item.key)) oidc.set(item.key, item.value);
      else if (item) await writeOption(run, item, { before: known.get(sourceId), carried });
      else if (losses.length > 0) leave(run, { entity: "option" }, losses);
    }
  }
  await writeOidcProvider(run, oidc);
}

async function writeOption(
  run: ImportRun,
  { key, value }: SourceOption,
  { before, carried }: { before: ImportedItem | undefined; carried: Map<string, string> },
) {
  const { now, seal } = run;
  const row = (
    outcome: ImportWrite["outcome"],
    writes: ImportWrite["writes"] = [],
  ): ImportWrite => ({
    entity: "option",
    sourceId: key,
    name: key,
    outcome,
    writes,
  });
  const lose = (reason: ImportLossReason, problem = ""): void =>
    leave(run, { entity: "option" }, [
      { entity: "option", sourceId: key, name: key, field: "", reason, value: problem },
    ]);
  const digest = readOptionDigest(value);
  if (before?.state.value === digest) return run.report.count("option", "unchanged");
  const stored = await run.options.all();
  const isSecret = isSecretKey(key);
  const isDefault = !isSecret && value === optionDefaults[key as OptionKey];
  if (value === "" || (isDefault && !stored.has(key)))
    return run.report.count("option", "unchanged");
  // What was set here before is the operator's later decision.
  if (stored.has(key) && before === undefined && stored.get(key)?.value !== value)
    return lose("option_kept");

  const check: OptionCheck = isSecret
    ? buildSecretRule(key)(value, { ownHosts: [] })
    : buildRule(key as Exclude<OptionKey, "QuotaPerUnit">)(value, { ownHosts: [] });
  if ("problem" in check) return lose("option_refused", check.problem);
  const valueAfter = (name: string): string =>
    (name === key ? check.value : (stored.get(name)?.value ?? carried.get(name))) ??
    (optionDefaults as Record<string, string>)[name] ??
    "";
  const problem = findPrerequisiteProblem(key, {
    valueAfter,
    hasSmtpUrl: false,
    hasPublicUrl: false,
  });
  if (problem !== undefined) return lose("option_refused", problem);
  carried.set(key, check.value);
  const text = isSecret ? sealSecret(seal, key, check.value) : check.value;
  return commit(run, [
    row(before ? "changed" : "added", [
      run.options.set({ key, value: text, updated_at: now }),
      run.imported.put("option", key, 0, { value: digest }),
    ]),
  ]);
}

/** Every group of a user or channel gets a ratio: without one it would have no price. */
export async function writeGroupRatios(run: ImportRun): Promise<void> {
  const { report, now } = run;
  const stored = (await run.options.all()).get(groupRatio)?.value;
  const before = JSON.parse(stored ?? optionDefaults.GroupRatio) as Record<string, number>;
  const theirs = await run.source.groupRatios();
  const lose = (group: string, reason: ImportLossReason, value: string): void =>
    report.lose({ entity: "option", sourceId: groupRatio, name: group, field: "", reason, value });

  const after: Record<string, number> = stored === undefined ? {} : { ...before };
  for (const [group, ratio] of Object.entries(theirs)) {
    // Charges use ratios in millionths.
    const exact = Math.round(ratio * 1e6) / 1e6;
    if (exact !== ratio) lose(group, "option_refused", `${ratio} → ${exact}`);
    if (after[group] === undefined) after[group] = exact;
    else if (after[group] !== exact) lose(group, "option_kept", "");
  }
  for (const group of ["default", ...run.seen.groups]) {
    if (after[group] !== undefined) continue;
    after[group] = before[group] ?? 1;
    if (group !== "default") lose(group, "group_added", String(after[group]));
  }
  const text = JSON.stringify(after);
  if (text === stored || (stored === undefined && text === optionDefaults.GroupRatio)) return;
  const check = buildRule(groupRatio)(text, { ownHosts: [] });
  if ("problem" in check) return lose(groupRatio, "option_refused", check.problem);
  await commit(run, [
    {
      entity: "option",
      sourceId: groupRatio,
      name: groupRatio,
      outcome: "added",
      writes: [run.options.set({ key: groupRatio, value: check.value, updated_at: now })],
    },
  ]);
}
