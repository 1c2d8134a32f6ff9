import { hasFeature, useSession } from "../../session.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";

const TeamSwitch = buildLazyPart(async () => (await import("./team-switch.tsx")).TeamSwitch);

/** Between what the own balance and what a team pays; nothing for those who are in no team. */
export const LazyTeamSwitch = (props: { isOfAll?: boolean }) =>
  hasFeature(useSession().status, "teams") && <TeamSwitch {...props} />;
