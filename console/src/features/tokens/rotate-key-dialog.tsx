import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { listKeyFindings } from "@tollgate/contract/accounts/key-hygiene.ts";
import {
  keyOverlapSecondsMax,
  rotateToken,
  stopOldKey,
} from "@tollgate/contract/accounts/key-rotation.ts";
import {
  getToken,
  listTokens,
  searchTokens,
  type Token,
} from "@tollgate/contract/accounts/tokens.ts";
import { type ReactNode, useState } from "react";
import { createPortal } from "react-dom";
import { readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { useCreation } from "../../components/forms/use-creation.ts";
import { ShownOnce } from "../../components/keys/shown-once.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterField, Select } from "../../ui/form/input.tsx";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { OldKeyFacts } from "./old-key-facts.tsx";

const overlaps = [
  { seconds: 0, label: msg`Not at all. It stops now` },
  { seconds: 3_600, label: msg`1 hour` },
  { seconds: 86_400, label: msg`1 day` },
  { seconds: keyOverlapSecondsMax, label: msg`7 days` },
];
/** A day is enough to change a program, and short enough not to be forgotten. */
const usualOverlap = 86_400;
const refreshes = [listTokens, searchTokens, getToken, listKeyFindings];

type RotatedToken = Pick<Token, "id" | "uuid" | "name" | "old_key_ending" | "old_key_until"> & {
  updated_at?: number;
};
type RotateKeyDialogProps = { token: RotatedToken; onClose: () => void };

/** Gives a token a new key, or stops the old one of an earlier rotation. */
export function RotateKeyDialog({ token, onClose }: RotateKeyDialogProps) {
  const { t, i18n } = useLingui();
  const { name } = token;
  const rotate = useCreation(rotateToken, refreshes);
  const hasOldKey = token.old_key_until > 0;
  const [overlap, setOverlap] = useState<number>(hasOldKey ? 0 : usualOverlap);
  const [newKey, setNewKey] = useState<string>();
  const [running, setRunning] = useState<"rotate" | "stop">();
  const [failure, setFailure] = useState("");

  const run = async (action: "rotate" | "stop", work: () => Promise<void>) => {
    setRunning(action);
    setFailure("");
    try {
      await work();
    } catch (error) {
      setFailure(readReason(error, t`Operation failed`));
    }
    setRunning(undefined);
  };
  const submit = () =>
    run("rotate", async () => {
      const { updated_at } = token;
      const body = {
        ...buildEntityIds(token),
        overlap_seconds: overlap,
        ...(updated_at !== undefined && { updated_at }),
      };
      setNewKey((await rotate(body)).data.key);
    });
  const stop = () =>
    run("stop", async () => {
      await api.change(stopOldKey, refreshes, { body: buildEntityIds(token) });
      toast(t`The old key of ${name} is stopped`);
      onClose();
    });

  // A portal, because the row around it would pass on its text style and events.
  const shown = (children: ReactNode, footer: ReactNode) =>
    createPortal(
      <Dialog
        open
        // The only time the key may be shown: neither Escape nor a click beside it closes the
        // dialog.
        locked={running !== undefined || newKey !== undefined}
        onClose={onClose}
        title={t`Rotate the key of ${name}`}
        footer={footer}
      >
        <div className="flex flex-col gap-4">{children}</div>
      </Dialog>,
      document.body,
    );
  if (newKey !== undefined)
    return shown(
      <ShownOnce secret={newKey} copyLabel={t`Copy key`} />,
      <Button variant="primary" onClick={onClose}>
        <Trans>Done</Trans>
      </Button>,
    );
  return shown(
    <>
      <p>
        <Trans>
          The key gets a new value. Its limits, quota and calls are shared by the old and the new
          value.
        </Trans>
      </p>
      {hasOldKey ? (
        <OldKeyFacts token={token}>
          <p>
            <Trans>Rotating now would stop both keys at once.</Trans>
          </p>
          <Button
            size="sm"
            busy={running === "stop"}
            disabled={running !== undefined}
            onClick={() => void stop()}
          >
            <Trans>Stop the old key</Trans>
          </Button>
        </OldKeyFacts>
      ) : (
        <FilterField label={t`The current key keeps working for`}>
          {(id) => (
            <Select
              id={id}
              value={overlap}
              onChange={(event) => setOverlap(Number(event.target.value))}
            >
              {overlaps.map(({ seconds, label }) => (
                <option key={seconds} value={seconds}>
                  {i18n._(label)}
                </option>
              ))}
            </Select>
          )}
        </FilterField>
      )}
      {failure !== "" && <Alert title={failure} />}
    </>,
    <>
      <Button onClick={onClose} disabled={running !== undefined}>
        <Trans>Cancel</Trans>
      </Button>
      <Button
        variant={overlap === 0 ? "danger" : "primary"}
        busy={running === "rotate"}
        disabled={running !== undefined}
        onClick={() => void submit()}
      >
        <Trans>Rotate key</Trans>
      </Button>
    </>,
  );
}
