/** A line of the bench's table: a figure and its limit, both measured in the same run. */
export interface BenchLine {
  readonly name: string;
  readonly figure: string;
  readonly limit: string;
  readonly ratio: string;
}
