import { Trans, useLingui } from "@lingui/react/macro";
import { Trash } from "lucide-react";
import { type SubmitEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../button.tsx";
import { Input } from "../form/input.tsx";
import { IconButton } from "../icon-button.tsx";
import { Dialog } from "../menu/dialog.tsx";
import { toast } from "../toast.tsx";
import {
  findCurrentView,
  keepView,
  keptViewsMax,
  type TableChoice,
  viewNameMax,
} from "./table-choice.ts";

type KeptViewsDialogProps = {
  choice: TableChoice;
  onChange: (next: TableChoice) => void;
  /** The part of the address that is kept. */
  search: Readonly<Record<string, string>>;
  onClose: () => void;
};

/** Keeps filters, sort and columns of a list under a name, and removes what is kept. */
export function KeptViewsDialog({ choice, onChange, search, onClose }: KeptViewsDialogProps) {
  const { t } = useLingui();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { views, columns } = choice;
  const shown = findCurrentView(choice, search);
  const [typed, setTyped] = useState(shown?.name ?? "");
  useEffect(() => input.current?.focus(), []);
  const name = typed.trim();
  const isReplaced = views.some((view) => view.name === name);
  const isFull = views.length >= keptViewsMax && !isReplaced;
  const keep = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (name === "" || isFull) return;
    onChange({ ...choice, views: keepView(views, { name, search, columns }) });
    toast(t`The view ${name} is kept in this browser`);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={<Trans>Views of this list</Trans>}>
      <form onSubmit={keep} className="flex flex-col gap-1">
        <label htmlFor={id} className="font-medium">
          <Trans>Name of the view</Trans>
        </label>
        <div className="flex gap-2">
          <Input
            ref={input}
            id={id}
            autoComplete="off"
            maxLength={viewNameMax}
            value={typed}
            aria-describedby={`${id}-help`}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" variant="primary" disabled={name === "" || isFull}>
            {isReplaced ? <Trans>Replace</Trans> : <Trans>Keep</Trans>}
          </Button>
        </div>
        <p id={`${id}-help`} className="text-muted text-sm">
          {isFull ? (
            <Trans>{keptViewsMax} views are kept. Remove one first.</Trans>
          ) : (
            <Trans>Filters, sorting and columns, kept for you in this browser.</Trans>
          )}
        </p>
      </form>
      {views.length > 0 && (
        <ul aria-label={t`Kept views`} className="mt-4 flex flex-col">
          {views.map((view) => (
            <li
              key={view.name}
              className="flex items-center justify-between gap-3 border-line border-t py-1"
            >
              <span className="min-w-0 truncate">{view.name}</span>
              <IconButton
                size="sm"
                label={t`Remove the view ${view.name}`}
                icon={<Trash />}
                onClick={() => {
                  onChange({ ...choice, views: views.filter((one) => one.name !== view.name) });
                  // Its button is gone; the focus stays in the dialog.
                  input.current?.focus();
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
