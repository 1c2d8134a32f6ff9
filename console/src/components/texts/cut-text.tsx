import clsx from "clsx";
import { missing } from "../../ui/format.ts";

type CutTextProps = {
  text: string;
  /** A class for the largest width. */
  max?: string;
  isName?: boolean;
};

/**
 * A text of any length in a cell: cut at its end in the direction that it is written in, with the
 * whole on hover.
 */
export const CutText = ({ text, max = "max-w-40", isName = false }: CutTextProps) => (
  <span
    title={text}
    dir="auto"
    className={clsx("block truncate text-left", max, isName && "font-medium")}
  >
    {text || missing}
  </span>
);
