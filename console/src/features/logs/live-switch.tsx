import { Trans } from "@lingui/react/macro";
import clsx from "clsx";
import { Radio } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import type { FollowedLog } from "./log-follower.tsx";

const LogFollower = buildLazyPart(async () => (await import("./log-follower.tsx")).LogFollower);

/** Follows the log while it is on. */
export function LiveSwitch(followed: FollowedLog) {
  const [on, setOn] = useState(false);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        size="sm"
        role="switch"
        aria-checked={on}
        icon={<Radio className={clsx(on && followed.isAtTop && "text-good")} />}
        className={clsx(on && "border-accent!")}
        onClick={() => setOn(!on)}
      >
        <Trans>Live</Trans>
      </Button>
      <span role="status" className="min-w-0 text-muted text-sm empty:-ml-3">
        {on && <LogFollower {...followed} />}
      </span>
    </div>
  );
}
