/** A page that says what became of a posted form. */
export interface ResultPage {
  readonly path: string; // last segment of its address
  readonly title: string;
  readonly text: string;
  readonly more: string; // what may follow
}
