import { Link, type NavigateOptions } from "@tanstack/react-router";
import clsx from "clsx";

type ItemNameProps = {
  to: NonNullable<NavigateOptions["to"]>;
  id: string;
  isMono?: boolean;
  children: string;
};

/** The name of an item in a card, which leads to its page. */
export function ItemName({ to, id, isMono, children }: ItemNameProps) {
  return (
    <Link
      dir="auto"
      to={to}
      params={{ id } as never}
      className={clsx(
        "inline-flex min-h-6 items-center rounded-sm font-medium text-ink no-underline [overflow-wrap:anywhere] hover:underline",
        isMono && "font-mono",
      )}
    >
      {children}
    </Link>
  );
}
