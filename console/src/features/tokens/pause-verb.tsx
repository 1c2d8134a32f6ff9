import { Trans } from "@lingui/react/macro";
import type { HeldToken } from "@tollgate/contract/accounts/all-tokens.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { Pause, Play } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { hasFeature, useSession } from "../../session.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";

const PauseKeyDialog = buildLazyPart(
  async () => (await import("./pause-key-dialog.tsx")).PauseKeyDialog,
);

type PauseVerbOptions = Pick<ComponentProps<typeof PauseKeyDialog>, "act" | "told" | "name"> & {
  token: Pick<HeldToken, "status" | "paused">;
};

/**
 * The menu item that pauses or resumes a key, and its dialog; without an item for a key that is
 * disabled or has ended.
 */
export function usePauseVerb({ token: { status, paused }, ...shown }: PauseVerbOptions) {
  const session = useSession();
  const [isOpen, setOpen] = useState(false);
  const isPaused = status === tokenStatus.paused;
  const isOffered =
    hasFeature(session.status, "token_pause") && (isPaused || status === tokenStatus.enabled);
  const item = isOffered && (
    <MenuItem icon={isPaused ? <Play /> : <Pause />} onSelect={() => setOpen(true)}>
      {isPaused ? <Trans>Resume</Trans> : <Trans>Pause</Trans>}
    </MenuItem>
  );
  const dialog = isOpen && (
    <PauseKeyDialog {...shown} pause={isPaused ? paused : null} onClose={() => setOpen(false)} />
  );
  return { item, dialog, isPaused };
}
