import { useEffect } from "react";

type ListState = {
  /** Undefined until it is known. */
  total: number | undefined;
  isFetching: boolean;
};

/**
 * Goes to the last page when the current one is beyond it, after a deletion or from an old URL;
 * tells whether it is.
 */
export function useClampedPage(
  { total, isFetching }: ListState,
  page: number,
  size: number,
  onPage: (page: number) => void,
) {
  const last = Math.max(0, Math.ceil((total ?? Number.POSITIVE_INFINITY) / size) - 1);
  const isPastEnd = page > last;
  useEffect(() => {
    if (isPastEnd && !isFetching) onPage(last);
  });
  return isPastEnd;
}
