/**
 * Options of the family that mean the same here, and the consequences of those that do not. Pure.
 */
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import type { OptionKey, SecretOptionKey } from "../../../settings/option-defaults.ts";
import { isOptionKey, isSecretKey } from "../../../settings/option-rules.ts";
import type { Loss, Reading, SourceOption } from "../import-items.ts";
import { parseJsonObject } from "../sources/source-fields.ts";
import { readAcceptedGroup } from "./group-names.ts";

/** Carried in another way, or without a meaning here: prices, ratios, tables of the program. */
const carriedElsewhere: ReadonlySet<string> = new Set([
  "ModelRatio",
  "CompletionRatio",
  "ModelPrice",
  "CacheRatio",
  "CreateCacheRatio",
  "AudioRatio",
  "AudioCompletionRatio",
  "GroupRatio",
  "QuotaPerUnit",
  // With the keys that name `auto`.
  "AutoGroups",
  // The token of the bot says which it is.
  "TelegramBotName",
  // Holds are exact here.
  "PreConsumedQuota",
]);

/** new-api's groups that users may choose, with a description of each; here a list of names. */
function buildUsableGroups(
  reading: (item: SourceOption | undefined, reason?: ImportLossReason) => Reading<SourceOption>,
  value: string,
): Reading<SourceOption> {
  const groups = parseJsonObject(value);
  if (!groups) return reading(undefined, value === "" ? undefined : "json_invalid");
  const names = [...new Set(Object.keys(groups).filter(Boolean).map(readAcceptedGroup))];
  return reading({ key: "SelectableGroups", value: names.join(",") });
}

/**
 * `protections` come with these the site was protected: the operator has to know before the
 * change-over.
 */
const protections =
  /^(SensitiveWords|CheckSensitive|ModelRequestRateLimit|AutomaticDisableKeywords)/;

/** new-api's names of settings for sign-in. */
const signInKeys: Readonly<Record<string, OptionKey | SecretOptionKey>> = {
  "oidc.enabled": "OidcEnabled",
  "oidc.client_id": "OidcClientId",
  "oidc.client_secret": "OidcClientSecret",
  "oidc.well_known": "OidcWellKnown",
  "oidc.authorization_endpoint": "OidcAuthorizationEndpoint",
  "oidc.token_endpoint": "OidcTokenEndpoint",
  "oidc.user_info_endpoint": "OidcUserinfoEndpoint",
  "discord.enabled": "DiscordOAuthEnabled",
  "discord.client_id": "DiscordClientId",
  "discord.client_secret": "DiscordClientSecret",
};

export function readOption(storedKey: string, value: string): Reading<SourceOption> {
  const key = signInKeys[storedKey] ?? storedKey;
  const reading = (
    item: SourceOption | undefined,
    reason?: ImportLossReason,
  ): Reading<SourceOption> => ({
    sourceId: key,
    item,
    losses: reason
      ? [
          {
            entity: "option",
            sourceId: key,
            name: key,
            field: "",
            reason,
            value: "",
          } satisfies Loss,
        ]
      : [],
  });
  if (carriedElsewhere.has(key)) return reading(undefined);
  if (key === "UserUsableGroups")
    return { ...buildUsableGroups(reading, value), sourceId: "SelectableGroups" };
  if (protections.test(key) && !["", "false", "0"].includes(value))
    return reading(undefined, "protection_ends");
  if (isOptionKey(key) || isSecretKey(key)) return reading({ key, value });
  return reading(undefined, value === "" ? undefined : "option_unknown");
}
