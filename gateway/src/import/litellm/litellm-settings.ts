/** Settings of LiteLLM by their sections: none means the same here, and some protected the source. Pure. */
import type { Reading, SourceOption } from "../import-items.ts";

/** Read elsewhere, or about LiteLLM's own operation. */
const ignored: ReadonlySet<string> = new Set([
  "database_url",
  "master_key",
  "store_model_in_db",
  "store_prompts_in_spend_logs",
  "drop_params",
  "set_verbose",
]);
/** With these the site was protected: the operator has to know before the change-over. */
const protections =
  /^(guardrails|allowed_ips|custom_auth|enable_jwt_auth|max_budget|budget_duration|litellm_key_header_name|allowed_routes|public_routes|banned_keywords_list|blocked_user_list|upperbound_key_generate_params|max_parallel_requests|global_max_parallel_requests)$/;

export const readLitellmSettings = (
  sections: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): Reading<SourceOption>[] =>
  [...sections].flatMap(([section, members]) =>
    Object.entries(members)
      .filter(([name, value]) => !ignored.has(name) && value !== null && value !== false && value !== "")
      .map(([name]): Reading<SourceOption> => {
        const sourceId = `${section}.${name}`;
        const reason = protections.test(name) ? "protection_ends" : "option_unknown";
        return {
          sourceId,
          item: undefined,
          losses: [{ entity: "option", sourceId, name: sourceId, field: "", reason, value: "" }],
        };
      }),
  );
