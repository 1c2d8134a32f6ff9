import { useLingui } from "@lingui/react/macro";
import { CalendarDays } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "../icon-button.tsx";
import { buildDateTimeLocal, readMoment, writeMoment } from "./datetime-local.ts";
import { Input } from "./input.tsx";

type MomentInputProps = {
  id: string;
  /** Unix seconds. */
  seconds: number | undefined;
  /** Gets undefined for an empty text, and for one that is no time. */
  onChange: (seconds: number | undefined) => void;
  controlSize?: "md" | "sm";
};

/**
 * A time as every cell of the console writes it, in place of a native input: that follows the
 * language of the browser and takes six presses of Tab. Its calendar is the browser's own.
 */
export function MomentInput({ id, seconds, onChange, controlSize = "md" }: MomentInputProps) {
  const { t } = useLingui();
  const [typed, setTyped] = useState<string>();
  const native = useRef<HTMLInputElement>(null);
  const isWrong = typed !== undefined && typed.trim() !== "" && readMoment(typed) === undefined;
  const take = (text: string) => {
    setTyped(text);
    onChange(readMoment(text));
  };
  return (
    <div className="relative min-w-0">
      <Input
        id={id}
        controlSize={controlSize}
        className="pr-9! tabular-nums"
        inputMode="numeric"
        autoComplete="off"
        spellCheck={false}
        placeholder="YYYY-MM-DD HH:MM:SS"
        aria-invalid={isWrong || undefined}
        value={typed ?? writeMoment(seconds)}
        onChange={(event) => take(event.target.value)}
        onBlur={() => isWrong || setTyped(undefined)}
      />
      <input
        ref={native}
        type="datetime-local"
        step={1}
        tabIndex={-1}
        aria-hidden="true"
        className="pointer-events-none absolute right-0 bottom-0 size-px opacity-0"
        value={seconds === undefined ? "" : buildDateTimeLocal(seconds)}
        onChange={(event) => {
          setTyped(undefined);
          onChange(readMoment(event.target.value));
        }}
      />
      <IconButton
        size="sm"
        className="absolute top-1/2 right-0.5 h-7! w-8! -translate-y-1/2"
        label={t`Choose from a calendar`}
        icon={<CalendarDays />}
        onClick={() => native.current?.showPicker()}
      />
    </div>
  );
}
