import type { ReactNode } from "react";
import { ScrollRegion } from "../scroll-region.tsx";

type SmallTableProps = {
  label: string;
  /** The headings of columns of words, which come first. */
  words: readonly string[];
  /** The headings of columns of figures, whose cells are `numeric`. */
  figures?: readonly string[];
  /**
   * `height` is for a table that scrolls under its headings: a class that says how high it may be.
   */
  height?: string;
  /** The body, and a foot where there is one. */
  children: ReactNode;
};

/** A table of a few columns inside a card, without sorting or pages. */
export function SmallTable({ label, words, figures = [], height, children }: SmallTableProps) {
  return (
    <ScrollRegion
      label={label}
      // Hidden words of cells stay inside of what scrolls. Boxes are not nested: only what scrolls
      // by itself has a frame, and other cells begin where the title of the card does.
      className={
        height === undefined
          ? "relative -mx-3 overflow-x-auto max-sm:-mx-2"
          : `${height} relative overflow-auto rounded-md border border-line`
      }
    >
      <table className="w-full text-sm tabular-nums">
        <thead className={`bg-card text-muted ${height === undefined ? "" : "sticky top-0"}`}>
          <tr>
            {words.map((text) => (
              <th
                key={text}
                scope="col"
                className="whitespace-nowrap px-3 py-2 text-start font-medium max-sm:px-2"
              >
                {text}
              </th>
            ))}
            {figures.map((text) => (
              <th
                key={text}
                scope="col"
                className="numeric whitespace-nowrap px-3 font-medium max-sm:px-2"
              >
                {text}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
    </ScrollRegion>
  );
}
