import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import type { NoticeDestination } from "@tollgate/contract/notices/destinations.ts";
import { KeyRound } from "lucide-react";
import { type ReactNode, useState } from "react";
import { alertRuleLabels } from "../../components/failures/alert-rule-words.ts";
import { ItemActions, ItemRow, ItemText, ItemTitle } from "../../components/lists/item-row.tsx";
import { ItemVerbs } from "../../components/lists/item-verbs.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { MenuItem } from "../../ui/menu/menu.tsx";
import { Time } from "../../ui/time.tsx";
import { destinationKindLabels } from "./alert-words.ts";
import { DeliveryAnswer } from "./delivery-answer.tsx";

type ShownDestination = Pick<
  NoticeDestination,
  "name" | "kind" | "rules" | "disabled" | "disabled_reason" | "failing_since" | "reachable"
>;

type DestinationItemProps = {
  destination: ShownDestination;
  /** Behind the kind: what it is told of, and where. */
  about: ReactNode;
  /** `unreachable` says why nothing is sent there, where it is not reachable. */
  unreachable: ReactNode;
  badge?: ReactNode;
  /** Absent where nothing may be sent there yet. */
  onTest?: (() => Promise<{ delivered: boolean; answer: string }>) | undefined;
  onToggle: (isEnabled: boolean) => Promise<unknown>;
  /** Gives a webhook a new signing secret. */
  onRotate: () => Promise<unknown>;
  onDelete: () => Promise<unknown>;
  editor: (close: () => void) => ReactNode;
  /** Below the facts and the actions. */
  children?: ReactNode;
};

/** A place to which notices go, of operators or of a user, with what can be done to it. */
export function DestinationItem(props: DestinationItemProps) {
  const { destination, onTest, onToggle, onRotate, onDelete, editor, children } = props;
  const { t } = useLingui();
  const [open, setOpen] = useState<"edit" | "rotate">();
  const tryOut = useMutation({ mutationFn: async () => onTest?.(), onError: toastError });
  const { name, kind, disabled } = destination;
  const close = () => setOpen(undefined);
  return (
    <ItemRow>
      <DestinationFacts {...props} />
      <ItemActions>
        {onTest !== undefined && (
          <Button
            size="sm"
            busy={tryOut.isPending}
            aria-label={t`Test ${name}`}
            onClick={() => tryOut.mutate()}
          >
            <Trans>Test</Trans>
          </Button>
        )}
        <ItemVerbs
          name={name}
          primary={
            <Button size="sm" aria-label={t`Edit ${name}`} onClick={() => setOpen("edit")}>
              <Trans>Edit</Trans>
            </Button>
          }
          more={
            kind === "webhook" && (
              <MenuItem icon={<KeyRound />} onSelect={() => setOpen("rotate")}>
                <Trans>New secret</Trans>
              </MenuItem>
            )
          }
          toggle={{ isEnabled: !disabled, onToggle }}
          removal={{
            question: (
              <Trans>It gets no more notices, and its list of sent notices is deleted.</Trans>
            ),
            onDelete,
          }}
        />
      </ItemActions>
      {tryOut.data !== undefined && !tryOut.isPending && <TestOutcome {...tryOut.data} />}
      {children}
      {open === "edit" && editor(close)}
      <Confirm
        open={open === "rotate"}
        onClose={close}
        title={t`New secret of ${name}`}
        question={
          <Trans>The old secret signs beside the new one for 24 hours, and then no more.</Trans>
        }
        confirmLabel={<Trans>New secret</Trans>}
        variant="primary"
        onConfirm={onRotate}
      />
    </ItemRow>
  );
}

function DestinationFacts({ destination, about, unreachable, badge }: DestinationItemProps) {
  const { t } = useLingui();
  const { name, kind, rules, disabled, disabled_reason, failing_since, reachable } = destination;
  const told = rules.map((rule) => t(alertRuleLabels[rule] ?? { id: rule }));
  return (
    <ItemText>
      <ItemTitle>
        <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
          {name}
        </span>
        {badge}
        {disabled && (
          <Badge>
            <Trans>Disabled</Trans>
          </Badge>
        )}
        {failing_since !== null && !disabled && (
          <Badge tone="bad">
            <Trans>Failing</Trans>
          </Badge>
        )}
      </ItemTitle>
      <p className="text-muted text-sm [overflow-wrap:anywhere]">
        {t(destinationKindLabels[kind] ?? { id: kind })} · {about}
      </p>
      {told.length > 0 && <p className="text-muted text-sm">{told.join(", ")}</p>}
      {disabled_reason === "gone" && (
        <p className="text-sm text-warn">
          <Trans>The receiver no longer accepts notices (410), so it was disabled.</Trans>
        </p>
      )}
      {failing_since !== null && !disabled && (
        <p className="text-bad text-sm">
          <Trans>Every attempt has failed since</Trans>{" "}
          <Time seconds={Math.floor(failing_since / 1000)} />
        </p>
      )}
      {!reachable && <p className="text-sm text-warn">{unreachable}</p>}
    </ItemText>
  );
}

/** `TestOutcome` shows what became of an example that was just sent. */
function TestOutcome({ delivered, answer }: { delivered: boolean; answer: string }) {
  return (
    <Alert
      tone={delivered ? "good" : "bad"}
      title={
        delivered ? (
          <Trans>The example was delivered.</Trans>
        ) : (
          <Trans>The example was not delivered.</Trans>
        )
      }
      className="w-full"
    >
      {answer !== "" && <DeliveryAnswer answer={answer} />}
    </Alert>
  );
}
