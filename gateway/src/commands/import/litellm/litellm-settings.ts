/**
 * Settings of LiteLLM by their sections: none means the same here, and some protected the source.
 * Pure.
 */
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import type { Loss, Reading, SourceOption } from "../import-items.ts";

/** Read elsewhere, or about LiteLLM's own operation. */
const ignored: ReadonlySet<string> = new Set([
  "store_model_in_db",
  "store_prompts_in_spend_logs",
  "drop_params",
  "set_verbose",
  "fallbacks",
  "content_policy_fallbacks",
  "context_window_fallbacks",
  "model_group_alias",
]);
/** Sections count here: LiteLLM itself does not read the master key anywhere else. */
const ignoredInSection: ReadonlySet<string> = new Set(["general_settings.master_key"]);
const databaseAddress = "general_settings.database_url";
/**
 * `protections` come with these the site was protected: the operator has to know before the
 * change-over.
 */
const protections =
  /^(guardrails|allowed_ips|custom_auth|enable_jwt_auth|max_budget|budget_duration|litellm_key_header_name|allowed_routes|public_routes|banned_keywords_list|blocked_user_list|upperbound_key_generate_params|max_parallel_requests|global_max_parallel_requests)$/;

export const readLitellmSettings = (
  sections: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  { isDatabaseRead }: { isDatabaseRead: boolean },
): Reading<SourceOption>[] =>
  [...sections].flatMap(([section, members]) =>
    Object.entries(members)
      .filter(
        ([name, value]) => !ignored.has(name) && value !== null && value !== false && value !== "",
      )
      .map(([name]) => `${section}.${name}`)
      .filter(
        (sourceId) =>
          !ignoredInSection.has(sourceId) && !(isDatabaseRead && sourceId === databaseAddress),
      )
      .map((sourceId): Reading<SourceOption> => {
        const loss: Loss = {
          entity: "option",
          sourceId,
          name: sourceId,
          field: "",
          reason: buildReason(sourceId),
          value: "",
        };
        return { sourceId, item: undefined, losses: [loss] };
      }),
  );

function buildReason(sourceId: string): ImportLossReason {
  if (sourceId === databaseAddress) return "database_not_read";
  return protections.test(sourceId.slice(sourceId.lastIndexOf(".") + 1))
    ? "protection_ends"
    : "option_unknown";
}
