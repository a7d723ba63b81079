import { useEffect, useState } from "preact/hooks";

/** The time, epoch ms: anew every second where something is counted in seconds, else every half minute. */
export function useNow(isLive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(
      () => {
        setNow(Date.now());
      },
      isLive ? 1_000 : 30_000,
    );
    return () => {
      clearInterval(timer);
    };
  }, [isLive]);
  return now;
}
