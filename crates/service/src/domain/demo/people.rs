//! Users of the demo's team, their working hours, and guests.

use booking_store_engine::sql;
use booking_wire::Instant;
use chrono::{Datelike, Duration, NaiveDate};

use super::pictures;
use crate::error::Result;
use crate::store::Db;

/// Time zone of the office, where all hosts work.
const OFFICE_ZONE: &str = "Europe/Berlin";

/// Month and day of the dates on which the office is closed.
const HOLIDAYS: [(u32, u32); 3] = [(1, 1), (12, 25), (12, 26)];

/// A host with their working hours.
#[derive(Clone, Copy)]
pub(super) struct DemoHost {
    pub(super) id: i64,
    pub(super) zone: &'static str,
    /// Minutes since midnight, Monday to Friday.
    pub(super) hours: &'static [(i64, i64)],
}

pub(super) const HOSTS: [DemoHost; 3] = [
    DemoHost {
        id: 1,
        zone: OFFICE_ZONE,
        hours: &[(540, 1020)],
    },
    DemoHost {
        id: 2,
        zone: OFFICE_ZONE,
        hours: &[(510, 720), (780, 1020)],
    },
    DemoHost {
        id: 3,
        zone: OFFICE_ZONE,
        hours: &[(600, 1110)],
    },
];

/// Id, user name, name, zone, membership role, organisation role.
const USERS: [(i64, &str, &str, &str, &str, &str); 5] = [
    (1, "ada", "Ada Brandt", OFFICE_ZONE, "MEMBER", "MEMBER"),
    (
        2,
        "marcus",
        "Marcus Okafor",
        OFFICE_ZONE,
        "MEMBER",
        "MEMBER",
    ),
    (3, "priya", "Priya Raman", OFFICE_ZONE, "MEMBER", "MEMBER"),
    (
        4,
        "sofia",
        "Sofia Marchetti",
        "Europe/Rome",
        "ADMIN",
        "MEMBER",
    ),
    (
        5,
        "ingrid",
        "Ingrid Solberg",
        "Europe/Oslo",
        "OWNER",
        "OWNER",
    ),
];

/// Returns ids and user names.
pub(super) fn usernames() -> impl Iterator<Item = (i64, &'static str)> {
    USERS.iter().map(|(id, username, ..)| (*id, *username))
}

/// Returns true if the office is closed.
pub(super) fn is_holiday(date: NaiveDate) -> bool {
    HOLIDAYS.contains(&(date.month(), date.day()))
}

/// Returns true if the host is away: Priya has a week off in about three weeks.
pub(super) fn is_away(host_id: i64, date: NaiveDate, today: NaiveDate) -> bool {
    let monday =
        |date: NaiveDate| date - Duration::days(i64::from(date.weekday().num_days_from_monday()));
    host_id == 3 && monday(date) == monday(today + Duration::days(21))
}

pub(super) async fn insert(db: &mut Db, now: Instant) -> Result<()> {
    let today = now.utc().unwrap_or_default().date_naive();
    sql::query("INSERT INTO organizations (id, name, slug) VALUES (?, 'Northwind', 'northwind')")
        .bind(super::ids::ORGANIZATION_ID)
        .execute(&mut *db)
        .await?;
    sql::query(
        "INSERT INTO teams (id, organization_id, name, slug, bio, time_zone, week_start, brand_color,
             dark_brand_color, logo_url)
         VALUES (?, ?, 'Customer Success', 'customer-success', 'We get you going, and keep you going.',
             'Europe/Berlin', 'Monday', '#0f766e', '#5eead4', ?)",
    )
        .bind(super::ids::TEAM_ID)
        .bind(super::ids::ORGANIZATION_ID)
        .bind(pictures::LOGO)
        .execute(&mut *db)
        .await?;
    for (id, username, name, zone, team_role, organization_role) in USERS {
        sql::query(
            "INSERT INTO users (id, organization_id, username, email, name, time_zone, default_schedule_id,
                 avatar_url, allow_dynamic_bookings)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
        )
        .bind(id)
        .bind(super::ids::ORGANIZATION_ID)
        .bind(username)
        .bind(format!("{username}@northwind.example"))
        .bind(name)
        .bind(zone)
        .bind(HOSTS.iter().any(|host| host.id == id).then_some(id))
        .bind(pictures::path_of(username))
        .execute(&mut *db)
        .await?;
        sql::query(
            "INSERT INTO organization_members (organization_id, user_id, role) VALUES (?, ?, ?)",
        )
        .bind(super::ids::ORGANIZATION_ID)
        .bind(id)
        .bind(organization_role)
        .execute(&mut *db)
        .await?;
        sql::query(
            "INSERT INTO memberships (team_id, user_id, role, accepted) VALUES (?, ?, ?, 1)",
        )
        .bind(super::ids::TEAM_ID)
        .bind(id)
        .bind(team_role)
        .execute(&mut *db)
        .await?;
    }
    for host in &HOSTS {
        sql::query("INSERT INTO schedules (id, owner_id, name, time_zone) VALUES (?, ?, 'Working hours', ?)")
            .bind(host.id)
            .bind(host.id)
            .bind(host.zone)
            .execute(&mut *db)
            .await?;
        for weekday in 1..=5_i64 {
            for (from, to) in host.hours {
                sql::query("INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute) VALUES (?, ?, ?, ?)")
                    .bind(host.id)
                    .bind(weekday)
                    .bind(from)
                    .bind(to)
                    .execute(&mut *db)
                    .await?;
            }
        }
        for date in today.iter_days().take(400) {
            if !is_holiday(date) && !is_away(host.id, date, today) {
                continue;
            }
            // Equal ends mean a day off.
            sql::query("INSERT INTO schedule_hours (schedule_id, on_date, from_minute, to_minute) VALUES (?, ?, 0, 0)")
                .bind(host.id)
                .bind(date.to_string())
                .execute(&mut *db)
                .await?;
        }
    }
    Ok(())
}

/// A guest of the demo.
#[derive(Clone, Copy)]
pub(super) struct Guest {
    pub(super) name: &'static str,
    /// Local part of the e-mail address.
    pub(super) local_part: &'static str,
    pub(super) zone: &'static str,
    pub(super) language: &'static str,
    pub(super) phone: Option<&'static str>,
}

impl Guest {
    /// Parses a row of [`GUESTS`].
    pub(super) fn of(row: &'static str) -> Self {
        let mut columns = row.split(", ");
        let mut next = || columns.next().unwrap_or_default();
        Self {
            name: next(),
            local_part: next(),
            zone: next(),
            language: next(),
            phone: columns.next(),
        }
    }
}

/// Name, local part of the e-mail address, time zone, language, and phone number if there is one.
pub(super) const GUESTS: [&str; 46] = [
    "Zoë Łukasik, zoe.lukasik, Europe/Warsaw, pl, +48221234567",
    "Mateo Fernández, mateo.fernandez, America/Argentina/Buenos_Aires, es",
    "Nguyễn Thị Mai, mai.nguyen, Asia/Ho_Chi_Minh, vi",
    "Yuki Tanaka, yuki.tanaka, Asia/Tokyo, ja, +81312345678",
    "Olumide Adebayo, olumide.adebayo, Africa/Lagos, en",
    "Fatima Zahra El Idrissi, fatima.elidrissi, Africa/Casablanca, fr",
    "Seán Ó Briain, sean.obriain, Europe/Dublin, en",
    "María José Quispe, mariajose.quispe, America/Lima, es, +5114567890",
    "Aleksandr Petrov, a.petrov, Asia/Almaty, ru",
    "Chloé Dubois, chloe.dubois, Europe/Paris, fr, +33142345678",
    "王小明, wang.xiaoming, Asia/Shanghai, zh-CN",
    "陳怡君, chen.yichun, Asia/Taipei, zh-TW",
    "김민준, minjun.kim, Asia/Seoul, ko",
    "Ayşe Yılmaz, ayse.yilmaz, Europe/Istanbul, tr",
    "Dimitris Papadopoulos, d.papadopoulos, Europe/Athens, el",
    "Noa Ben-David, noa.bendavid, Asia/Jerusalem, he",
    "أحمد منصور, ahmed.mansour, Africa/Cairo, ar",
    "Lars Sørensen, lars.soerensen, Europe/Copenhagen, da",
    "Þóra Jónsdóttir, thora.jonsdottir, Atlantic/Reykjavik, en",
    "João Pedro Silva, joaopedro.silva, America/Sao_Paulo, pt-BR, +551123456789",
    "Beatriz Carvalho, beatriz.carvalho, Europe/Lisbon, pt",
    "Anjali Deshpande, anjali.deshpande, Asia/Kolkata, en",
    "Bishnu Gurung, bishnu.gurung, Asia/Kathmandu, en",
    "สมชาย ใจดี, somchai.jaidee, Asia/Bangkok, th",
    "Siti Nurhaliza, siti.nurhaliza, Asia/Jakarta, id",
    "Emily Carter, emily.carter, America/Chicago, en, +13125550142",
    "DeShawn Williams, deshawn.williams, America/New_York, en",
    "Hannah Müller, hannah.mueller, Europe/Berlin, de",
    "Jürgen Groß, juergen.gross, Europe/Vienna, de",
    "Marek Novák, marek.novak, Europe/Prague, cs",
    "Ilona Kovács, ilona.kovacs, Europe/Budapest, hu",
    "Oksana Shevchenko, oksana.shevchenko, Europe/Kyiv, uk",
    "Mirja Korhonen, mirja.korhonen, Europe/Helsinki, fi",
    "Astrid Lund, astrid.lund, Europe/Stockholm, sv",
    "Willem de Vries, willem.devries, Europe/Amsterdam, nl",
    "Giulia Romano, giulia.romano, Europe/Rome, it, +390612345678",
    "Aroha Ngata, aroha.ngata, Pacific/Auckland, en",
    "Jack Thompson, jack.thompson, Australia/Adelaide, en",
    "Leilani Kealoha, leilani.kealoha, Pacific/Honolulu, en",
    "Thandiwe Mokoena, thandiwe.mokoena, Africa/Johannesburg, en",
    "Amina Wanjiru, amina.wanjiru, Africa/Nairobi, en",
    "Reza Farahani, reza.farahani, Asia/Tehran, en",
    "Gabriel Tremblay, gabriel.tremblay, America/Toronto, fr",
    "Maximiliane-Charlotte von Hohenberg-Wittelsbach zu Altenstein, m.hohenberg, Europe/Berlin, de",
    "יעל רוזנברג, yael.rozenberg, Asia/Jerusalem, he",
    "Ximena Morales, ximena.morales, America/Mexico_City, es-419",
];
