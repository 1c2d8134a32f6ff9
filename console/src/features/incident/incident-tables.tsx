import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Card } from "../../ui/card.tsx";
import type { IncidentSection } from "./incident-sections.ts";

const cell = "border-line border-b px-3 py-2 align-top sm:px-4";

/**
 * A phone has room for as many; with more, the cells of a row stand beneath each other there, each
 * beside its column's name.
 */
const phoneColumnsMax = 3;

/**
 * A narrow column would make a longer text very tall. A time, or what is as short, stays on its
 * line.
 */
const longTextChars = 30;
const oneLineChars = "2026-11-24 02:33:07".length;
const readTextStyle = ({ length }: string): string => {
  if (length > longTextChars) return "min-w-40 [overflow-wrap:anywhere]";
  return length > oneLineChars ? "min-w-32 [overflow-wrap:break-word]" : "whitespace-nowrap";
};

/** Columns of nothing but figures stand at the right, as everywhere. */
const isFigure = (text: string): boolean => /^\d[\d.,\s]*$/.test(text);

type IncidentTableProps = {
  section: IncidentSection;
  empty: string;
  /** Parameters of the list of calls, besides the user. */
  logSearch: Readonly<Record<string, string>>;
};

/** A section as a table that stays readable on paper. */
export function IncidentTable({
  section: { title, columns, rows, usernames },
  empty,
  logSearch,
}: IncidentTableProps) {
  const alignment = columns.map((_, index) =>
    rows.every((cells) => isFigure(cells[index] ?? "")) ? "numeric" : "text-start",
  );
  const hasLongText = (index: number) =>
    rows.some((cells) => (cells[index] ?? "").length > oneLineChars);
  /** Beside texts, times and figures take no more room than they need. */
  const isNarrow = columns.map(
    (_, index) => !hasLongText(index) && columns.some((_, other) => hasLongText(other)),
  );
  const isStacked = columns.length > phoneColumnsMax;
  const rowStyle = clsx(
    "hover:bg-hover print:break-inside-avoid",
    isStacked && "block sm:table-row",
  );
  return (
    <Card title={title} padded={false}>
      {rows.length === 0 ? (
        <p className="px-4 pb-4 text-muted">{empty}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section aria-label={title} tabIndex={0} className="overflow-x-auto print:overflow-visible">
          <table aria-label={title} className="w-full border-separate border-spacing-0 text-sm">
            <thead className={clsx(isStacked && "max-sm:hidden")}>
              <tr className="text-muted">
                {columns.map((column, index) => (
                  <th
                    key={column}
                    scope="col"
                    className={clsx(
                      cell,
                      alignment[index],
                      "whitespace-nowrap border-t font-medium",
                      isNarrow[index] && "w-px",
                    )}
                  >
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((cells, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows keep their order, and two may be alike
                <tr key={place} className={rowStyle}>
                  {cells.map((text, index) => (
                    <td
                      key={columns[index]}
                      className={clsx(
                        cell,
                        alignment[index],
                        "tabular-nums",
                        readTextStyle(text),
                        isStacked && "flex justify-between gap-4 sm:table-cell",
                      )}
                    >
                      {isStacked && (
                        <span className="shrink-0 text-muted sm:hidden">{columns[index]}</span>
                      )}
                      {index === 0 && usernames !== undefined ? (
                        <Link
                          to="/logs"
                          search={{ ...logSearch, username: usernames[place] } as never}
                          className="py-1.5 text-accent underline-offset-2 hover:underline"
                        >
                          {text}
                        </Link>
                      ) : (
                        text
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}
