/** A package's licence as text, as the bundler of the pages gives it. */
declare module "*/LICENSE?raw" {
  const text: string;
  export default text;
}
