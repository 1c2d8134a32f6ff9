import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { BulkRow } from "@tollgate/contract/api/bulk-verbs.ts";
import { type FormEvent, useId, useState } from "react";
import { createPortal } from "react-dom";
import { findRequestId, readReason } from "../../api-error.ts";
import { formatRefusalMessage } from "../../api-messages.ts";
import { api } from "../../api-queries.ts";
import { loadWords, refusalWords } from "../../load-words.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { FieldFrame } from "../../ui/form/form-field.tsx";
import { Input } from "../../ui/form/input.tsx";
import { formatInteger, missing } from "../../ui/format.ts";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { useIdempotencyKey } from "../forms/idempotency-key.ts";
import type { BulkCall, BulkField, BulkVerb } from "./bulk-verb.ts";
import { reverseActs } from "./reverse-acts.ts";
import { takeBack } from "./take-back.ts";

type BulkReply = { data: { changed: number; rows: BulkRow[] } };
const buildBodyByIds = (ids: readonly string[], request: object): object => ({ ids, ...request });
const buildSameRows = (rows: BulkRow[]): BulkRow[] => rows;
type Typed = Readonly<Record<string, string>>;

type BulkDialogProps = BulkCall & {
  verb: BulkVerb;
  /** `initial` is what the fields hold at first, by their names. */
  initial?: Typed;
  ids: readonly string[];
  onDone: () => void;
  onClose: () => void;
};

/**
 * Shows what one act changes before it is done: each row with its old and new value, and why others
 * are skipped.
 */
export function BulkDialog({ verb, initial = {}, ids, onDone, onClose, ...call }: BulkDialogProps) {
  const { endpoint, refreshes, body: bodyOf = buildBodyByIds, rows: rowsOf = buildSameRows } = call;
  const { t, i18n } = useLingui();
  const formId = useId();
  const fields = verb.fields ?? [];
  const [typed, setTyped] = useState<Typed>(initial);
  /**
   * The question that the preview on the screen answers; a verb without fields is previewed at
   * once.
   */
  const [asked, setAsked] = useState(
    fields.length === 0 ? { turn: 0, request: verb.request({}) } : undefined,
  );
  const [turns, setTurns] = useState(1);
  const keyFor = useIdempotencyKey();
  const send = async (request: object, preview: boolean): Promise<BulkReply> => {
    const body = { ...bodyOf(ids, request), preview };
    // Where money moves, a repetition after a lost reply gives nothing twice.
    const once = preview ? {} : { idempotencyKey: keyFor(body) };
    const { data } = (await api.change(endpoint, preview ? [] : refreshes, {
      body,
      ...once,
    } as never)) as unknown as BulkReply;
    // Rows say why they are left out in the words of refusals.
    await loadWords(refusalWords);
    return { data: { ...data, rows: rowsOf(data.rows) } };
  };
  const preview = useQuery({
    // A number stands for the request, which may hold a key of a provider.
    queryKey: ["bulk", formId, asked?.turn],
    queryFn: () => send(asked?.request ?? {}, true),
    enabled: asked !== undefined,
    gcTime: 0,
  });
  const act = useMutation({
    mutationFn: () => send(asked?.request ?? {}, false),
    onSuccess: ({ data: { changed, rows } }) => {
      const done = formatInteger(changed);
      const skipped = formatInteger(rows.length - changed);
      const text =
        changed === rows.length ? t`${done} changed` : t`${done} changed, ${skipped} skipped`;
      const acts = reverseActs(rows, verb.undo)?.map((back) => bodyOf(back.ids, back.request));
      // Not by a mutation of this dialog, which is closed when Undo is pressed.
      toast(text, { undo: acts && (() => void takeBack(endpoint, acts, refreshes)) });
      onDone();
      onClose();
    },
  });
  const isPreviewed = asked !== undefined && preview.data !== undefined;
  const changed = preview.data?.data.changed ?? 0;
  const request = verb.request(typed);
  const showPreview = (event: FormEvent) => {
    event.preventDefault();
    if (request === undefined) return;
    setAsked({ turn: turns, request });
    setTurns(turns + 1);
  };
  const type = (name: string, text: string) => {
    setTyped({ ...typed, [name]: text });
    setAsked(undefined);
  };
  const failure = act.error ?? preview.error;
  const count = formatInteger(changed);
  const label = i18n._(verb.label);
  return createPortal(
    <Dialog
      open
      width="md"
      onClose={onClose}
      locked={act.isPending}
      keepsInput={Object.entries(typed).some(([name, text]) => text !== (initial[name] ?? ""))}
      title={label}
      footer={
        <>
          <Button onClick={onClose} disabled={act.isPending}>
            <Trans>Cancel</Trans>
          </Button>
          {isPreviewed ? (
            <Button
              variant={verb.isDanger === true ? "danger" : "primary"}
              busy={act.isPending}
              disabled={changed === 0}
              onClick={() => act.mutate()}
            >
              {t`${label} (${count})`}
            </Button>
          ) : (
            <Button
              variant="primary"
              {...(fields.length > 0 && { type: "submit", form: formId })}
              busy={preview.isFetching}
              disabled={request === undefined}
            >
              <Trans>Preview</Trans>
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {fields.length > 0 && (
          <form id={formId} noValidate onSubmit={showPreview} className="flex flex-col gap-4">
            {fields.map((field, place) => (
              <BulkInput
                key={field.name}
                field={field}
                isFirst={place === 0}
                value={typed[field.name] ?? ""}
                onChange={(text) => type(field.name, text)}
              />
            ))}
          </form>
        )}
        {verb.warning !== undefined && <p>{i18n._(verb.warning)}</p>}
        {failure && (
          <Alert
            title={readReason(failure, t`Operation failed`)}
            requestId={findRequestId(failure)}
          />
        )}
        {preview.isFetching && <Skeleton className="h-24" />}
        {isPreviewed && <BulkPreview rows={preview.data.data.rows} show={verb.show} />}
      </div>
    </Dialog>,
    document.body,
  );
}

type BulkInputProps = {
  field: BulkField;
  isFirst: boolean;
  value: string;
  onChange: (text: string) => void;
};

function BulkInput({ field, isFirst, value, onChange }: BulkInputProps) {
  const { i18n } = useLingui();
  const id = useId();
  const { label, help, kind = "text", isOptional = false } = field;
  return (
    <FieldFrame id={id} label={i18n._(label)} help={help && i18n._(help)} error={undefined}>
      <Input
        id={id}
        // The dialog was opened to fill this in.
        ref={isFirst ? (input) => input?.focus() : undefined}
        type={kind === "secret" ? "password" : "text"}
        inputMode={kind === "number" ? "decimal" : undefined}
        autoComplete={kind === "secret" ? "off" : undefined}
        spellCheck={false}
        aria-describedby={help && `${id}-help`}
        aria-required={isOptional ? undefined : true}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </FieldFrame>
  );
}

const readRowName = ({ name, id }: Pick<BulkRow, "name" | "id">): string =>
  name || (Number.isNaN(id) ? missing : `#${id}`);

function BulkPreview({ rows, show }: { rows: readonly BulkRow[]; show: BulkVerb["show"] }) {
  const changes = rows.filter(({ skipped }) => skipped === null);
  const skipped = rows.filter(({ skipped }) => skipped !== null);
  return (
    <div className="flex flex-col gap-4">
      <section>
        <h3 className="mb-1 font-medium">
          <Plural
            value={changes.length}
            _0="Nothing changes"
            one="# row changes"
            other="# rows change"
          />
        </h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and then the keyboard must reach it */}
        <ul tabIndex={0} className="max-h-56 overflow-y-auto text-sm empty:hidden">
          {changes.map((row) => (
            <li
              key={row.uuid}
              className="flex flex-wrap justify-between gap-x-4 border-line py-1.5 not-first:border-t"
            >
              <span className="min-w-0 truncate">{readRowName(row)}</span>
              {show !== undefined && <span className="text-muted">{changeText(row, show)}</span>}
            </li>
          ))}
        </ul>
      </section>
      {skipped.length > 0 && (
        <section>
          <h3 className="mb-1 font-medium">
            <Plural value={skipped.length} one="# is skipped" other="# are skipped" />
          </h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll, and then the keyboard must reach it */}
          <ul tabIndex={0} className="max-h-40 overflow-y-auto text-sm">
            {skipped.map(({ id, uuid, name, skipped: reason }) => (
              <li key={uuid || id} className="border-line py-1.5 not-first:border-t">
                <span className="[overflow-wrap:anywhere]">{readRowName({ name, id })}</span>
                <span className="block text-muted">
                  {formatRefusalMessage(reason?.code, reason?.message ?? "")}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function changeText(
  { before, after }: BulkRow,
  show: (members: BulkRow["before"]) => string,
): string {
  return [before, after]
    .map(show)
    .filter((text) => text !== "")
    .join(" → ");
}
