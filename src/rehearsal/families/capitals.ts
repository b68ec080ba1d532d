// Facts: capitals of countries, from those everybody knows to those few do.

import { defineFamily } from "../templates/family.ts";
import { defineFactForm } from "./facts.ts";

const CAPITALS = {
  1: `France: Paris, Germany: Berlin, Italy: Rome, Spain: Madrid, Portugal: Lisbon, Greece: Athens,
    Austria: Vienna, Poland: Warsaw, Ireland: Dublin, Norway: Oslo, Sweden: Stockholm,
    Denmark: Copenhagen, Japan: Tokyo, China: Beijing, Egypt: Cairo, Russia: Moscow, Cuba: Havana,
    Argentina: Buenos Aires`,
  2: `Canada: Ottawa, Australia: Canberra, Brazil: Brasília, Turkey: Ankara, Morocco: Rabat,
    Kenya: Nairobi, Nigeria: Abuja, Pakistan: Islamabad, Vietnam: Hanoi, Colombia: Bogotá,
    Ecuador: Quito, Slovakia: Bratislava, Slovenia: Ljubljana, Croatia: Zagreb, Bulgaria: Sofia,
    Latvia: Riga, Lithuania: Vilnius, New Zealand: Wellington`,
  3: `Burkina Faso: Ouagadougou, Mongolia: Ulaanbaatar, Kyrgyzstan: Bishkek, Tajikistan: Dushanbe,
    Turkmenistan: Ashgabat, Bhutan: Thimphu, Laos: Vientiane, Brunei: Bandar Seri Begawan,
    Papua New Guinea: Port Moresby, Vanuatu: Port Vila, Samoa: Apia, Suriname: Paramaribo,
    Mauritania: Nouakchott, Madagascar: Antananarivo, Mozambique: Maputo, Zambia: Lusaka,
    Malawi: Lilongwe, Botswana: Gaborone`,
};

export const capitals = defineFamily({
  id: "capitals",
  topic: "facts",
  work: "recall the capital of the country",
  terms: "capital, country, geography, fact, facts",
  recall: true,
  forms: [
    defineFactForm(CAPITALS, {
      work: "recall the capital",
      phrasings: [
        "What is the capital of {key}?",
        "Which city is the capital of {key}?",
        "Name the capital city of {key}.",
      ],
      line: (country) => `the capital of ${country} is #`,
    }),
  ],
});
