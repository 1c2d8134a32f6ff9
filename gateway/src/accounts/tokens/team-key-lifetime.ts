/** How long a key that a team pays for may work, by the settings of the site. */
import { buildMeaning } from "@tollgate/contract/api/errors.ts";
import { refuse } from "../../http/refusal.ts";
import type { OptionReader } from "../../settings/live-options.ts";

const dayMs = 86_400_000;
/** `clockSlackMs` is for forms that add whole days to a clock that is ahead of this one. */
const clockSlackMs = 3_600_000;

/** A key that ends later, or never, is refused where `TeamKeyMaxDays` is set. */
export function checkTeamKeyLifetime(
  options: OptionReader,
  expiredAt: number | null,
  now: number,
): void {
  const days = options.number("TeamKeyMaxDays");
  if (days === 0 || (expiredAt !== null && expiredAt <= now + days * dayMs + clockSlackMs)) return;
  const { message } = buildMeaning("team_key_too_long");
  throw refuse("team_key_too_long", { message: `${message} (${days} days)` });
}
