/**
 * Makes an identity provider of the source's settings for one, switched off until its new callback
 * address is registered.
 */
import { buildOidcAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import {
  addOidcProvider,
  takeOverRefusal,
} from "../../../accounts/identity/oidc/add-oidc-provider.ts";
import { isSameDocument } from "../../../accounts/identity/oidc/oidc-provider-rules.ts";
import { buildSingleProvider } from "../../../accounts/identity/oidc/single-oidc-settings.ts";
import type { SingleOidcKey } from "../../../settings/single-oidc-keys.ts";
import { commit, type ImportRun, leave } from "../import-run.ts";
import { readOptionDigest } from "./option-digest.ts";

/** Stands for all of them in reports, and for what the source said when it was last read. */
const sourceId = "OidcEnabled" satisfies SingleOidcKey;

export async function writeOidcProvider(
  run: ImportRun,
  settings: ReadonlyMap<SingleOidcKey, string>,
): Promise<void> {
  const read = buildSingleProvider((key) => settings.get(key) ?? "");
  const lossOf = (reason: ImportLossReason, value = "") =>
    ({ entity: "option", sourceId, name: sourceId, field: "", reason, value }) as const;
  const lose = (reason: ImportLossReason, value?: string) =>
    leave(run, { entity: "option" }, [lossOf(reason, value)]);
  const isOn = ["true", "1"].includes(settings.get("OidcEnabled") ?? "");
  if ("missing" in read) {
    if (isOn) lose("option_refused", `${read.missing.join(" and ")} must not be empty`);
    return;
  }
  const existing = await run.oidcProviders.all();
  const here = "provider" in read && existing.find((row) => isSameDocument(row, read.provider));
  if (here) run.seen.oidcAccounts = buildOidcAccountProvider(here.issuer);
  const digest = readOptionDigest(JSON.stringify([...settings].sort()));
  const before = (await run.imported.known("option", [sourceId])).get(sourceId);
  if (before) {
    if (before.state.value === digest) run.report.count("option", "unchanged");
    else lose("changed_in_source");
    return;
  }
  if ("problem" in read) return lose("option_refused", read.problem);
  if (takeOverRefusal(existing, read.provider) !== undefined) return lose("option_kept");
  const { write } = addOidcProvider(
    { store: run.oidcProviders, seal: run.seal },
    read.provider,
    run.now,
  );
  run.seen.oidcAccounts = buildOidcAccountProvider(read.provider.issuer);
  run.report.lose(lossOf("provider_off", read.provider.issuer));
  return commit(run, [
    {
      entity: "option",
      sourceId,
      name: sourceId,
      outcome: "added",
      writes: [write, run.imported.put("option", sourceId, 0, { value: digest })],
    },
  ]);
}
