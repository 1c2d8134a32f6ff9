import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { Card } from "../ui/card.tsx";
import { useFolded } from "./folded-cards.ts";

type FoldingCardProps = ComponentProps<typeof Card> & {
  /** The name under which the browser remembers the card; undefined for one that stays open. */
  fold?: string | undefined;
};

/** A card whose title folds it. */
export function FoldingCard({ fold, title, note, action, children, ...rest }: FoldingCardProps) {
  const [isFolded, toggle] = useFolded(fold);
  if (fold === undefined)
    return (
      <Card title={title} note={note} action={action} {...rest}>
        {children}
      </Card>
    );
  return (
    <Card
      {...rest}
      isBare={isFolded}
      title={
        <button
          type="button"
          aria-expanded={!isFolded}
          onClick={toggle}
          className="-mx-1 flex min-h-6 max-w-[calc(100%+0.5rem)] items-center gap-1 rounded-sm px-1 text-start hover:bg-hover"
        >
          <span className="min-w-0 [overflow-wrap:anywhere]">{title}</span>
          <ChevronDown
            aria-hidden="true"
            className={
              isFolded ? "size-4 shrink-0 -rotate-90 text-faint" : "size-4 shrink-0 text-faint"
            }
          />
        </button>
      }
      note={isFolded ? undefined : note}
      action={isFolded ? undefined : action}
    >
      {isFolded ? null : children}
    </Card>
  );
}
