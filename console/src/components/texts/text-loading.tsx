import { LoadingStatus, Skeleton } from "../../ui/skeleton.tsx";

/** The placeholder of an operator's text. */
export function TextLoading() {
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-3">
      <LoadingStatus />
      <Skeleton className="h-7 w-1/2" />
      <Skeleton />
      <Skeleton className="h-4 w-3/4" />
    </div>
  );
}
