import clsx from "clsx";
import { type ComponentProps, type ReactNode, useId } from "react";

type ControlSize = { controlSize?: "md" | "sm" };

const small = "h-8! text-sm!";

export function Input({
  controlSize = "md",
  className,
  ...rest
}: ComponentProps<"input"> & ControlSize) {
  return <input {...rest} className={clsx("control", controlSize === "sm" && small, className)} />;
}

export function Select({
  controlSize = "md",
  className,
  ...rest
}: ComponentProps<"select"> & ControlSize) {
  return (
    <select {...rest} className={clsx("control pr-8", controlSize === "sm" && small, className)} />
  );
}

export function Textarea({ className, rows = 4, ...rest }: ComponentProps<"textarea">) {
  return <textarea {...rest} rows={rows} className={clsx("control h-auto! py-2", className)} />;
}

/**
 * `Checkbox` has margins with which the line of a box and its label is high enough for a finger.
 */
export function Checkbox({ className, ...rest }: Omit<ComponentProps<"input">, "type">) {
  return (
    <input
      {...rest}
      type="checkbox"
      className={clsx("my-1 size-4 shrink-0 rounded-sm accent-accent", className)}
    />
  );
}

type FilterFieldProps = { label: string; className?: string; children: (id: string) => ReactNode };

/**
 * A small label above a control of a filter bar; `children` gets the id that the control must
 * carry.
 */
export function FilterField({ label, className = "min-w-0", children }: FilterFieldProps) {
  const id = useId();
  return (
    <div className={clsx("flex flex-col gap-1", className)}>
      <label htmlFor={id} className="text-muted text-xs">
        {label}
      </label>
      {children(id)}
    </div>
  );
}
