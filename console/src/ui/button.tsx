import { createLink } from "@tanstack/react-router";
import clsx from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { Spinner } from "./spinner.tsx";

const commonClasses =
  "inline-flex max-w-full shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium leading-tight no-underline transition-colors duration-150 sm:whitespace-nowrap disabled:cursor-not-allowed aria-disabled:cursor-not-allowed [&_svg]:size-4 [&_svg]:shrink-0";

const variantClasses = {
  primary:
    "border-transparent bg-accent text-accent-ink hover:bg-accent-strong disabled:bg-sunken disabled:text-faint aria-disabled:bg-sunken aria-disabled:text-faint",
  secondary:
    "border-edge bg-card text-ink hover:bg-hover disabled:border-line disabled:bg-sunken disabled:text-faint aria-disabled:border-line aria-disabled:bg-sunken aria-disabled:text-faint",
  ghost:
    "border-transparent bg-transparent text-ink hover:bg-hover disabled:text-faint disabled:hover:bg-transparent",
  danger:
    "border-transparent bg-bad text-bad-ink hover:bg-bad-strong disabled:bg-sunken disabled:text-faint aria-disabled:bg-sunken aria-disabled:text-faint",
};

const sizeClasses = { md: "min-h-9 px-3.5 text-base", sm: "min-h-8 px-2.5 text-sm" };

interface ButtonStyle {
  variant?: keyof typeof variantClasses | undefined;
  size?: keyof typeof sizeClasses | undefined;
}

export const buttonStyle = (
  { variant = "secondary", size = "md" }: ButtonStyle = {},
  className?: string,
): string => clsx(commonClasses, variantClasses[variant], sizeClasses[size], className);

export type ButtonProps = ComponentProps<"button"> &
  ButtonStyle & { busy?: boolean | undefined; icon?: ReactNode };

/** A busy button keeps focus and width, and ignores presses. */
export function Button({
  variant,
  size,
  busy,
  icon,
  className,
  children,
  type,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type ?? "button"}
      aria-disabled={busy ? true : rest["aria-disabled"]}
      aria-busy={busy ? true : undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={buttonStyle({ variant, size }, className)}
    >
      {busy ? <Spinner className="size-4" /> : icon}
      {children}
    </button>
  );
}

type ButtonAnchorProps = ComponentProps<"a"> & ButtonStyle & { icon?: ReactNode };

function ButtonAnchor({ variant, size, icon, className, children, ...rest }: ButtonAnchorProps) {
  return (
    <a {...rest} className={buttonStyle({ variant, size }, className)}>
      {icon}
      {children}
    </a>
  );
}

/** A link with the style of a button. */
export const ButtonLink = createLink(ButtonAnchor);
