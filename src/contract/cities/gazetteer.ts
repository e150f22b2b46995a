import { z } from "zod";

/** One city of the GeoNames gazetteer behind `locations/cities`. `region` and `regionCode` are empty for countries without regions. */
export const GazetteerCity = z.object({
  geonameId: z.int().positive(),
  name: z.string().min(1).max(200),
  asciiName: z.string().min(1).max(200),
  region: z.string().max(200),
  regionCode: z.string().max(20),
  countryCode: z.string().regex(/^[A-Z]{2}$/),
  countryName: z.string().min(1),
  population: z.int().nonnegative(),
  lat: z.number().min(-90).max(90),
  lng: z.number().min(-180).max(180),
});
export type GazetteerCity = z.infer<typeof GazetteerCity>;
