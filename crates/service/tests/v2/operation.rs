//! What operators rely on: health, migrations, replicas, static files, demo.

mod demo;
mod health;
mod migrations;
mod replicas;
mod static_files;
