/**
 * Icons of rows, with the shapes of Lucide. A list of a hundred rows draws hundreds of them: one
 * path each, styled by the sheet, in place of a component with a dozen attributes.
 */
function buildLineIcon(path: string) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="line-icon">
      <path d={path} />
    </svg>
  );
}

export const ellipsis = buildLineIcon(
  "M4 12a1 1 0 1 0 2 0a1 1 0 1 0-2 0m7 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0m7 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0",
);
export const copyIcon = buildLineIcon(
  "M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H10a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2ZM4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2",
);
export const eye = buildLineIcon(
  "M2.062 12.348a1 1 0 0 1 0-.696 10.75 10.75 0 0 1 19.876 0 1 1 0 0 1 0 .696 10.75 10.75 0 0 1-19.876 0M9 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
);
