import { ScrollRegion } from "../scroll-region.tsx";

type ChartTableProps = {
  caption: string;
  head: string;
  columns: readonly string[];
  rows: readonly { name: string; cells: readonly string[] }[];
};

/** The numbers of a chart as a table. */
export function ChartTable({ caption, head, columns, rows }: ChartTableProps) {
  return (
    <ScrollRegion label={caption} className="max-h-80 overflow-auto">
      <table className="w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-card text-muted">
          <tr>
            <th scope="col" className="py-1.5 pr-4 text-start font-medium">
              {head}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="numeric py-1.5 pl-4 font-medium">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className="border-line border-t">
              <th
                scope="row"
                className="whitespace-nowrap py-1.5 pr-4 text-start font-normal tabular-nums"
              >
                {row.name}
              </th>
              {row.cells.map((cell, index) => (
                <td key={columns[index]} className="numeric py-1.5 pl-4">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
