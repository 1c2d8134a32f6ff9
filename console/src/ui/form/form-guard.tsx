import { Trans } from "@lingui/react/macro";
import { useBlocker } from "@tanstack/react-router";
import { Button } from "../button.tsx";
import { Dialog } from "../menu/dialog.tsx";

/** Confirms leaving with unsaved changes, inside the console and when the tab closes. */
export function FormGuard({ losesChanges: hasUnsavedChanges }: { losesChanges: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && hasUnsavedChanges(),
    enableBeforeUnload: hasUnsavedChanges,
    withResolver: true,
  });
  return (
    <Dialog
      open={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={<Trans>Unsaved changes</Trans>}
      footer={
        <>
          <Button onClick={() => blocker.reset?.()}>
            <Trans>Keep editing</Trans>
          </Button>
          <Button variant="danger" onClick={() => blocker.proceed?.()}>
            <Trans>Discard changes</Trans>
          </Button>
        </>
      }
    >
      <Trans>Your changes on this page are not saved. Leave without saving?</Trans>
    </Dialog>
  );
}
