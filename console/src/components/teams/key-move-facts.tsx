import { Trans } from "@lingui/react/macro";
import type { KeyMove } from "@tollgate/contract/accounts/team-key-moves.ts";
import { Alert } from "../../ui/alert.tsx";

const formatNames = (names: readonly string[]): string => names.join(", ");

/** `KeyMoveFacts` says what changes for a key that another wallet pays for. */
export function KeyMoveFacts({ move }: { move: KeyMove }) {
  const { group_from, group_to } = move;
  const lost = formatNames(move.models_lost);
  const left = formatNames(move.models_to);
  const groups = formatNames(move.groups_lost);
  return (
    <>
      <ul className="list-disc pl-5 [overflow-wrap:anywhere]">
        {group_from === group_to ? (
          <li>
            <Trans>Its group stays {group_to}.</Trans>
          </li>
        ) : (
          <li>
            <Trans>
              Its group becomes {group_to} instead of {group_from}, with other prices and channels.
            </Trans>
          </li>
        )}
        {lost !== "" && (
          <li>
            <Trans>The team does not allow these models: {lost}</Trans>
          </li>
        )}
        {left !== "" && (
          <li>
            <Trans>It may use these models alone: {left}</Trans>
          </li>
        )}
        {groups !== "" && (
          <li>
            <Trans>It may no longer use these groups: {groups}</Trans>
          </li>
        )}
        {move.ends_bodies && (
          <li>
            <Trans>The contents of its calls are no longer kept.</Trans>
          </li>
        )}
      </ul>
      {move.loses_all_groups && (
        <Alert
          tone="warn"
          title={<Trans>None of the key's groups is left: its calls are refused.</Trans>}
        />
      )}
    </>
  );
}
